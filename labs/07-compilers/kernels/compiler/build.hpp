/// \file
/// C++ built by the system's compiler, kept, and loaded.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "07-compilers/kernels/compiler/cache.hpp"      // IWYU pragma: export
#include "07-compilers/kernels/compiler/child.hpp"      // IWYU pragma: export
#include "07-compilers/kernels/compiler/toolchain.hpp"  // IWYU pragma: export

namespace hf::compilers {

struct Built {
  std::filesystem::path library;
  std::shared_ptr<void> code;  ///< the library, for dlsym(); unloaded with the last of these
  bool from_cache = false;
  std::string remark;  ///< why it was built though there was an entry; else empty
};

/// Built and tried in a child process each, for at most so many seconds. \throws BuildError
Built build(const std::string& source, const Toolchain& toolchain, const std::filesystem::path& folder, double seconds);

}  // namespace hf::compilers
