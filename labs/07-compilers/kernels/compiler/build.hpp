/// \file
/// Builds C++ with the system's compiler, and loads the library.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "07-compilers/kernels/compiler/child.hpp"      // IWYU pragma: export
#include "07-compilers/kernels/compiler/toolchain.hpp"  // IWYU pragma: export

namespace hf::compilers {

/// A scratch folder that this process deletes when it ends.
const std::filesystem::path& libraries_of_this_run();

struct Built {
  std::filesystem::path library;
  std::shared_ptr<void> code;  ///< the library, for dlsym(); unloaded with the last copy
};

/// Builds and test-loads the library, in a child process each, for at most `seconds` each. If the folder has a library
/// that was built from this source in the same way, loads that one. \throws BuildError
Built build(const std::string& source, const Toolchain& toolchain, const std::filesystem::path& folder, double seconds);

}  // namespace hf::compilers
