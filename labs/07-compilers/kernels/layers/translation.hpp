/// \file
/// A graph on its way to instructions: how large it is after each stage, and how long the stage takes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_folder.hpp"

namespace hf::compilers {

/// A function in assembly, without labels and directives.
struct AssemblyFunction {
  std::vector<std::string> instructions;
  std::size_t loop_count =
      0;  ///< of its loops that hold no other: of the one with most multiplications, or the longest; 0
          ///< where there is none
};

/// \param assembly  as GCC and Clang write it with -S, for any processor
/// \param name  of the function; nothing where it is not there
AssemblyFunction read_assembly(std::string_view assembly, std::string_view name);

/// One graph, translated one stage at a time, again and again, in a folder of its own.
class Translation {
 public:
  /// \throws BuildError, where it cannot be built
  explicit Translation(const Graph& graph);

  // How large it is.
  std::size_t operators() const;        ///< of the graph
  std::size_t loops() const;            ///< of the plan
  std::size_t lines() const;            ///< of C++ written for it, apart from what every program holds
  std::size_t program_lines() const;    ///< of all that the compiler reads
  AssemblyFunction first_loop() const;  ///< the function of its first loop

  /// "plan", "emit", "compile" (C++ to assembly), "assemble", "link", "load": each stage by itself, from what the one before left.
  /// This must outlive them.
  std::vector<Variant> stages();

 private:
  void say(std::vector<std::string> words) const;
  std::string file(const char* name) const { return (folder_->path() / name).string(); }
  void compile() const;
  void assemble() const;
  void link() const;
  void load() const;

  Graph graph_;
  std::unique_ptr<ScratchFolder> folder_;
  Toolchain toolchain_;
  Compiled compiled_;
  std::string program_, assembly_;
};

}  // namespace hf::compilers
