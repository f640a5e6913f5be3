/// \file
/// Shared libraries that a lab looks for at run time.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <initializer_list>
#include <string>

namespace hf {

/// An optional system library, loaded at run time. It is never unloaded, because libraries with their own threads may
/// crash when they are.
class SharedLibrary {
 public:
  /// \param names  file names as the linker knows them, newest first; the first that loads is used
  SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  explicit operator bool() const { return handle_ != nullptr; }

  /// The path of the file that was loaded; empty if none was.
  std::string file() const {
    link_map* loaded = nullptr;
    return handle_ != nullptr && dlinfo(handle_, RTLD_DI_LINKMAP, &loaded) == 0 ? loaded->l_name : "";
  }

  /// \return the function's address; null if the library or the function is missing
  template <class Signature>
  Signature* function(const char* name) const {
    return handle_ != nullptr ? reinterpret_cast<Signature*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace hf
