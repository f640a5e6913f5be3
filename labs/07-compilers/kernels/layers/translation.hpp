/// \file
/// Translates a graph to instructions: how large it is after each stage, and how long the stage takes.
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
  /// Number of instructions in an innermost loop: the one with the most multiplications and, of equals, the longest; 0
  /// without loops.
  std::size_t loop_count = 0;
};

/// \param assembly  as GCC and Clang write it with -S, for any processor
/// \param name  of the function; the result is empty if the assembly has no such function
AssemblyFunction read_assembly(std::string_view assembly, std::string_view name);

/// Translates one graph repeatedly, one stage at a time, in a folder of its own.
class Translation {
 public:
  /// \throws BuildError if the graph cannot be built
  explicit Translation(const Graph& graph);

  std::size_t operators;        ///< of the graph
  std::size_t loops;            ///< of the plan
  std::size_t lines;            ///< of C++ written for this graph, without the prelude of every program
  std::size_t program_lines;    ///< of all C++ that the compiler reads
  AssemblyFunction first_loop;  ///< the function of its first loop

  /// Returns the stages "plan", "emit", "compile" (C++ to assembly), "assemble", "link" and "load". Each runs alone, on
  /// the output of the one before. The Translation must outlive them.
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
