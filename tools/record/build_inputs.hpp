#pragma once

#include <filesystem>
#include <string>

#include "record/inputs.hpp"

namespace hf {

/// A program as it was built.
struct Build {
  std::filesystem::path root;  ///< of the sources
  std::filesystem::path
      folder;                 ///< where it was linked, which the paths in `map` and in the compilers' lists start from
  std::filesystem::path map;  ///< the map that GNU ld wrote of the program (-Map)
  std::string flags;          ///< of the lab's own files
  std::string cuda;           ///< compiler and flags of .cu files
};

/// What a program was made of. The linker says which object files are in it: of a library only those that it took, by name;
/// compile_commands.json tells them from what an earlier build left. The compiler says, in OBJECT.read
/// (tools/keep-dependencies), which files each was made from. They are "source:PATH" → source_digest(), PATH relative to the root,
/// and after it, where an object was compiled with other flags than Build::flags, these: " -O3 -mavx2". A generated file counts as those that its
/// first line names, "// Generated from FILE and FILE". Files that cannot move a number are left out, and those outside the root: they belong to libraries. A
/// library outside the root is "library:NAME" → its file (a shared one: where to look for it when the program runs, see
/// complete_inputs()), except those of the C and C++ language, which come with compiler and system. With an object made
/// from a .cu file comes "library:CUDA" → Build::cuda.
/// Throws FileError where a file cannot be read, or does not say what it should.
Inputs build_inputs(const Build& build);

}  // namespace hf
