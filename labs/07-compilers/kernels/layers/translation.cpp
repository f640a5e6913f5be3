#include "07-compilers/kernels/layers/translation.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
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

namespace {

/// Without what stands before and after it, and without a remark.
std::string stripped(const std::string& line) {
  const std::string text = line.substr(0, std::min(line.find("# "), line.find("//")));  // "#16" is a number on AArch64
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string last_word(const std::string& instruction) {
  return instruction.substr(instruction.find_last_of(" \t,") + 1);
}

bool multiplies(const std::string& instruction) {
  const std::string name = instruction.substr(0, instruction.find_first_of(" \t"));
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  return has("mul") || has("fma") || has("fml");  // vmulps, vfmadd213ps; fmul, fmadd, fmla
}

bool returns(const std::string& instruction) { return instruction.starts_with("ret"); }

/// From the place of a label to that of the jump back to it.
using LoopSpan = std::pair<std::size_t, std::size_t>;

bool holds(const LoopSpan& outer, const LoopSpan& inner) {
  return outer != inner && outer.first <= inner.first && inner.second <= outer.second;
}

}  // namespace

AssemblyFunction read_assembly(std::string_view assembly, std::string_view name) {
  AssemblyFunction function;
  std::map<std::string, std::size_t, std::less<>> labels;
  std::vector<LoopSpan> loops;
  std::istringstream lines{std::string(assembly)};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string text = stripped(line);
    if (!inside) {
      inside = text == std::string(name) + ":";
      continue;
    }
    if (text.starts_with(".cfi_endproc") || text.starts_with(".size")) break;
    if (text.ends_with(':')) {
      labels[text.substr(0, text.size() - 1)] = function.instructions.size();
    } else if (!text.empty() && !text.starts_with('.')) {
      const auto label = labels.find(last_word(text));
      if (label != labels.end()) loops.emplace_back(label->second, function.instructions.size());
      function.instructions.push_back(text);
    }
  }
  std::size_t most = 0;
  for (const LoopSpan& loop : loops) {
    const auto is_inside = [&](const LoopSpan& other) { return holds(loop, other); };
    const auto first = function.instructions.begin() + static_cast<std::ptrdiff_t>(loop.first);
    const std::size_t count = loop.second + 1 - loop.first;
    const auto last = first + static_cast<std::ptrdiff_t>(count);
    const auto multiplications = static_cast<std::size_t>(std::count_if(first, last, multiplies));
    const bool is_better = std::pair(multiplications, count) > std::pair(most, function.loop_count);
    if (std::any_of(loops.begin(), loops.end(), is_inside) || std::any_of(first, last, returns) || !is_better) continue;
    most = multiplications;
    function.loop_count = count;
  }
  return function;
}

}  // namespace hf::compilers
