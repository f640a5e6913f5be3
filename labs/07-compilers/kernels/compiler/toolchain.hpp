/// \file
/// The system's compiler, and everything that its output depends on.
#pragma once

#include <string>
#include <vector>

namespace hf::compilers {

struct Toolchain {
  std::vector<std::string> command;  ///< the compiler with its prefix and arguments: {"ccache", "g++"}
  std::vector<std::string> flags;
  /// The compiler's version, its meaning of -march=native here, its programs, its assembler and linker, and the search
  /// paths from the environment.
  std::string identity;
};

/// \param name  a compiler's name as in $CXX; quotes work as in a shell, but no command is run; if empty: $CXX,
///   else the compiler that built this program
/// \param seconds  time limit for each question to the compiler \throws BuildError if it does not answer
Toolchain find_toolchain(const std::string& name, double seconds);

/// Runs a compiler, or one of its programs. \return its output \throws BuildError
std::string run_compiler(const std::vector<std::string>& command, double seconds);

}  // namespace hf::compilers
