/// \file
/// A graph on its way to instructions: how large it is after each stage, and how long the stage takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/scratch_folder.hpp"

namespace hf::compilers {

/// A function in assembly, without labels and directives.
struct AssemblyFunction {
  std::vector<std::string> instructions;
  /// Of its loops that hold no other: of the one with most multiplications, or the longest; 0 where there is none.
  std::size_t loop_count = 0;
};

/// \param assembly  as GCC and Clang write it with -S, for any processor
/// \param name  of the function; nothing where it is not there
AssemblyFunction read_assembly(std::string_view assembly, std::string_view name);

/// One graph, translated one stage at a time, again and again, in a folder of its own.
class Translation {
 public:
  /// \throws BuildError, where it cannot be built
  explicit Translation(const Graph& graph);

  std::size_t operators;        ///< of the graph
  std::size_t loops;            ///< of the plan
  std::size_t lines;            ///< of C++ written for it, apart from what every program holds
  std::size_t program_lines;    ///< of all that the compiler reads
  AssemblyFunction first_loop;  ///< the function of its first loop

  /// "plan", "emit", "compile" (C++ to assembly), "assemble", "link", "load": each stage by itself, from what the one before left.
  /// This must outlive them.
  std::vector<Variant> stages() const;

 private:
  struct Command {
    std::string stage;
    std::vector<std::string> words;
  };
  std::string file(const char* name) const { return (folder_.path() / name).string(); }
  void run(const Command& command) const;
  void load() const;

  Graph graph_;
  ScratchFolder folder_;
  Toolchain toolchain_;
  std::vector<Command> commands_;
};

}  // namespace hf::compilers
