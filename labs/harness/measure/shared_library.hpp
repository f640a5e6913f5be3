/// \file
/// Libraries that are looked for when a lab runs.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace hf {

/// A library of the system that may be there or not, loaded while the program runs. It stays loaded: libraries with
/// threads of their own do not survive being unloaded.
class SharedLibrary {
 public:
  /// \param names  file names as the linker knows them, newest first; the first that loads is taken
  SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  explicit operator bool() const { return handle_ != nullptr; }

  /// \return the function's address; null when the library, or the function in it, is not there
  template <class Signature>
  Signature* function(const char* name) const {
    return handle_ != nullptr ? reinterpret_cast<Signature*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace hf
