#include "07-compilers/kernels/layers/translation.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <limits>
#include <map>
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
#include "harness/measure/scratch_folder.hpp"

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

// ---- Level by level ----

namespace {

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

/// Compiles a program to assembly, in a folder.
std::string assembly_of(const std::string& program, const std::filesystem::path& folder) {
  constexpr double patience = 60;  // seconds
  const std::filesystem::path from = folder / "loops.cpp", to = folder / "loops.s";
  std::ofstream(from, std::ios::binary) << program;
  const Toolchain toolchain = find_toolchain("");
  std::vector<std::string> command = toolchain.command;
  command.insert(command.end(), toolchain.flags.begin(), toolchain.flags.end());
  command.insert(command.end(), {"-S", "-o", to.string(), from.string()});
  const CommandResult result = run_command(command, patience);
  if (result.end != CommandResult::End::done) throw BuildError("compiler " + command[0] + ": " + result.text);
  std::ifstream in(to, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Translation translate(const Graph& graph) {
  const ScratchFolder folder;
  const Compiled compiled(graph, {.stores = Stores::ordinary, .folder = folder.path()});
  if (!compiled.is_compiled()) throw BuildError(compiled.remark());
  const auto is_operator = [](const Node& node) { return node.op != Op::input && node.op != Op::constant; };
  return {.operators = static_cast<std::size_t>(std::ranges::count_if(graph.nodes(), is_operator)),
          .loops = compiled.loops(),
          .lines = lines_of(compiled.source()),
          .first_loop = read_assembly(assembly_of(compiled.program(), folder.path()), "loop_0")};
}

FusionPlan plan_for_one_loop(const Graph& graph) {
  return make_plan(graph, false, std::numeric_limits<std::size_t>::max());
}

}  // namespace hf::compilers
