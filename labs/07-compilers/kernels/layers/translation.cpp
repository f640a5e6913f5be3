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
#include "harness/measure/command.hpp"
#include "harness/measure/sampling.hpp"

namespace hf::compilers {

// ---- Reading assembly ----

namespace {

/// Returns the line without comments and without blanks at either end.
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

/// Index of a label, and index of the jump back to it.
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

// ---- Stage by stage ----

namespace {

constexpr double patience = 60;  // seconds that a stage may take
constexpr const char* first_loop_name = "loop_0";
constexpr std::size_t everything_is_near = std::numeric_limits<std::size_t>::max();

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

}  // namespace

Translation::Translation(const Graph& graph)
    : graph_(graph),
      toolchain_(find_toolchain("")),
      commands_({{"compile", {"-S", "-o", file("loops.s"), file("loops.cpp")}},
                 {"assemble", {"-c", "-o", file("loops.o"), file("loops.s")}},
                 {"link", {"-o", file("loops.so"), file("loops.o")}}}) {
  const Compiled compiled(graph, {.stores = Stores::ordinary, .folder = folder_.path()});
  if (!compiled.is_compiled()) throw BuildError(compiled.remark());
  std::ofstream(file("loops.cpp"), std::ios::binary) << compiled.program();
  for (const Command& command : commands_) run(command);

  const auto is_operator = [](const Node& node) { return node.op != Op::input && node.op != Op::constant; };
  operators = static_cast<std::size_t>(std::ranges::count_if(graph.nodes(), is_operator));
  loops = compiled.loops();
  lines = lines_of(compiled.source());
  program_lines = lines_of(compiled.program());
  first_loop = read_assembly(text_of(file("loops.s")), first_loop_name);
}

void Translation::run(const Command& stage) const {
  std::vector<std::string> command = toolchain_.command;
  command.insert(command.end(), toolchain_.flags.begin(), toolchain_.flags.end());
  command.insert(command.end(), stage.words.begin(), stage.words.end());
  const CommandResult result = run_command(command, patience);
  if (result.end != CommandResult::End::done) throw BuildError("compiler " + command[0] + ": " + result.text);
}

void Translation::load() const {
  void* const library = dlopen(file("loops.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw BuildError(dlerror());
  keep(dlsym(library, first_loop_name));
  dlclose(library);
}

std::vector<Variant> Translation::stages() const {
  const auto plan = std::make_shared<FusionPlan>(make_plan(graph_, false, everything_is_near));
  std::vector<Variant> stages = {
      timed("plan", [this] { keep(make_plan(graph_, false, everything_is_near).bands.size()); }),
      timed("emit", [plan] { keep(emit(*plan).size()); })};
  for (const Command& command : commands_) stages.push_back(timed(command.stage, [this, &command] { run(command); }));
  stages.push_back(timed("load", [this] { load(); }));
  return stages;
}

}  // namespace hf::compilers
