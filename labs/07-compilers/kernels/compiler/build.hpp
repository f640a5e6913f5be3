/// \file
/// Builds C++ with the system's compiler, keeps the library in a cache, and loads it.
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
  std::shared_ptr<void> code;  ///< the library, for dlsym(); unloaded with the last copy
  bool from_cache = false;
  std::string remark;  ///< why it was rebuilt although the cache had an entry; else empty
};

/// Builds and test-loads the library, in a child process each, for at most `seconds` each. \throws BuildError
Built build(const std::string& source, const Toolchain& toolchain, const std::filesystem::path& folder, double seconds);

}  // namespace hf::compilers
