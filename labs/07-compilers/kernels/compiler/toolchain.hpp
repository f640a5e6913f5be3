/// \file
/// The system's compiler.
#pragma once

#include <string>
#include <vector>

namespace hf::compilers {

struct Toolchain {
  std::vector<std::string> command;  ///< the compiler with its prefix and arguments: {"ccache", "g++"}
  std::vector<std::string> flags;
};

/// \param name  a compiler's name as in $CXX; quotes work as in a shell, but no command is run; if empty: $CXX,
///   else the compiler that built this program
/// \throws BuildError if that is no plain command
Toolchain find_toolchain(const std::string& name);

/// Runs a compiler, or one of its programs. \return its output \throws BuildError
std::string run_compiler(const std::vector<std::string>& command, double seconds);

}  // namespace hf::compilers
