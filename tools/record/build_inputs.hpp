#pragma once

#include <filesystem>
#include <string>

#include "record/inputs.hpp"

namespace hf {

/// A program as built.
struct Build {
  std::filesystem::path root;    ///< of the sources
  std::filesystem::path folder;  ///< where it was linked: base of the paths in `map` and in the compilers' lists
  std::filesystem::path map;     ///< the map that GNU ld wrote for the program (-Map)
  std::string flags;             ///< of the lab's own files
  std::string cuda;              ///< compiler and flags of .cu files
};

/// The inputs of a program. The linker tells which object files are in it: of a library only those that it took, by
/// name; compile_commands.json separates them from objects of an earlier build. The compiler lists in OBJECT.read
/// (tools/keep-dependencies) the files that each object was made from. They become "source:PATH" → source_digest(),
/// with PATH relative to the root, followed by the flags of an object that was compiled with other flags than
/// Build::flags: " -O3 -mavx2". A generated file counts as the files that its first line names, "// Generated from FILE
/// and FILE". Files that cannot change a number are left out, and so are those outside the root, which belong to
/// libraries. A library outside the root becomes "library:NAME" → its file (for a shared library: where to look for it
/// when the program runs, see complete_inputs()), except those of the C and C++ language, which come with compiler and
/// system. The archives of the installed instrument, beside kInstrumentFile, become one: "library:press" → the key of
/// the inputs in that file. An object made from a .cu file adds "library:CUDA" → Build::cuda.
/// Throws FileError if a file cannot be read or lacks the expected contents.
Inputs build_inputs(const Build& build);

/// Lies beside the archives of the installed instrument, and has its instrument_inputs(): so another message in it, or
/// another compiler of it, makes no record of another book stale.
inline constexpr const char* kInstrumentFile = "instrument.json";

/// The inputs of the instrument in the checkout at `root`: the sources that can change a number, with the flags that
/// the build in `folder` compiles them with. Throws FileError if there are none.
Inputs instrument_inputs(const std::filesystem::path& root, const std::filesystem::path& folder);

}  // namespace hf
