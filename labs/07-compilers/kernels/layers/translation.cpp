#include "07-compilers/kernels/layers/translation.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/emit.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "07-compilers/kernels/layers/assembly.hpp"
#include "harness/command.hpp"
#include "harness/keep.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_folder.hpp"

namespace hf::compilers {
namespace {

constexpr double patience = 60;  // seconds that a stage may take
constexpr const char* first_loop_name = "loop_0";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// What a library says when it is loaded once more.
class Loaded {
 public:
  explicit Loaded(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw BuildError(dlerror());
  }
  ~Loaded() { dlclose(handle_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  void* function(const char* name) const { return dlsym(handle_, name); }

 private:
  void* handle_;
};

}  // namespace

Translation::Translation(const Graph& graph)
    : graph_(graph),
      folder_(std::make_unique<ScratchFolder>()),
      toolchain_(find_toolchain("", patience)),
      compiled_(graph, {.stores = Stores::ordinary, .cache = folder_->path()}) {
  if (!compiled_.is_compiled()) throw BuildError(compiled_.remark());
  std::filesystem::path source = compiled_.library();
  program_ = text_of(source.replace_extension(".cpp"));
  std::ofstream(file("loops.cpp"), std::ios::binary) << program_;
  compile();
  assemble();
  link();
  assembly_ = text_of(file("loops.s"));
}

std::size_t Translation::operators() const {
  const auto is_operator = [](const Node& node) { return node.op != Op::input && node.op != Op::constant; };
  return static_cast<std::size_t>(std::ranges::count_if(graph_.nodes(), is_operator));
}

std::size_t Translation::loops() const { return compiled_.loops(); }
std::size_t Translation::lines() const { return lines_of(compiled_.source()); }
std::size_t Translation::program_lines() const { return lines_of(program_); }
AssemblyFunction Translation::first_loop() const { return read_assembly(assembly_, first_loop_name); }

void Translation::say(std::vector<std::string> words) const {
  std::vector<std::string> command = toolchain_.command;
  command.insert(command.end(), toolchain_.flags.begin(), toolchain_.flags.end());
  command.insert(command.end(), words.begin(), words.end());
  const CommandResult result = run_command(command, patience);
  if (result.end != CommandResult::End::done) throw BuildError("compiler " + command[0] + ": " + result.text);
}

void Translation::compile() const { say({"-S", "-o", file("loops.s"), file("loops.cpp")}); }
void Translation::assemble() const { say({"-c", "-o", file("loops.o"), file("loops.s")}); }
void Translation::link() const { say({"-o", file("loops.so"), file("loops.o")}); }

void Translation::load() const {
  const Loaded library(file("loops.so"));
  keep(library.function(first_loop_name));
}

std::vector<Variant> Translation::stages() {
  constexpr std::size_t everything_is_near = std::numeric_limits<std::size_t>::max();
  const auto plan = std::make_shared<FusionPlan>(make_plan(graph_, false, everything_is_near));
  return {timed("plan", [this] { keep(make_plan(graph_, false, everything_is_near).bands.size()); }),
          timed("emit", [plan] { keep(emit(*plan).size()); }),
          timed("compile", [this] { compile(); }),
          timed("assemble", [this] { assemble(); }),
          timed("link", [this] { link(); }),
          timed("load", [this] { load(); })};
}

}  // namespace hf::compilers
