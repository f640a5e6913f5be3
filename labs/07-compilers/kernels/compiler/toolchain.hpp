/// \file
/// The system's compiler: which it is, and all that what it builds depends on.
#pragma once

#include <string>
#include <vector>

namespace hf::compilers {

struct Toolchain {
  std::vector<std::string> command;  ///< the compiler, and words that belong to it: {"ccache", "g++"}
  std::vector<std::string> flags;
  /// What it says of itself and of what -march=native means here, its programs, its assembler and linker, and where the
  /// environment has it look for files.
  std::string identity;
};

/// \param name  a compiler's name as in $CXX, in which quotes mean what they mean to a shell and nothing is run;
///   empty: $CXX, else the compiler that built this program
/// \throws BuildError where it does not answer a question within so many seconds
Toolchain find_toolchain(const std::string& name, double seconds);

/// Runs a compiler, or one of its programs. \return what it says \throws BuildError
std::string run_compiler(const std::vector<std::string>& command, double seconds);

}  // namespace hf::compilers
