#include "07-compilers/kernels/layers/assembly.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hf::compilers {
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
