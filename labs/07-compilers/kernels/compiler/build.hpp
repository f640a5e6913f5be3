/// \file
/// C++ built by the system's compiler, and kept.
///
/// What was built lies in a folder as NAME-KEY.so, the source beside it: the name follows from the source, the key from all
/// else that what is built depends on: the compiler, its version, its flags, the instruction set. So an entry with another
/// key is out of date. At its end each file has the hash of all before, so that what is cut off or changed is noticed before
/// it is loaded. Files are written under names of their own and renamed: who comes at the same time, or is killed, harms
/// nobody.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace hf::compilers {

/// One line: what failed and what to do.
struct BuildError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Toolchain {
  std::vector<std::string> command;  ///< the compiler, and words that belong to it: {"ccache", "g++"}
  std::string version;               ///< the first line that it says of itself
  std::vector<std::string> flags;
  std::string instruction_sets;  ///< of this machine: what -march=native means
};

/// Words of a compiler's name as in $CXX. \param name  empty: $CXX, else the compiler that built this program
/// \throws BuildError where it does not answer within so many seconds
Toolchain find_toolchain(const std::string& name, double seconds);

/// The folder that is meant by an empty name: $HARDWARE_FIRST_CACHE, else $XDG_CACHE_HOME/hardware-first, else
/// ~/.cache/hardware-first.
std::filesystem::path default_cache();

struct Built {
  std::filesystem::path library;
  bool from_cache = false;
  std::string remark;  ///< why it was built though there was an entry; else empty
};

/// \throws BuildError
Built build(const std::string& source, const Toolchain& toolchain, const std::filesystem::path& cache, double seconds);

}  // namespace hf::compilers
