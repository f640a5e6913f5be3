#include "07-compilers/layers/assembly.hpp"

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
  const std::string text = line.substr(0, line.find('#'));
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string last_word(const std::string& instruction) {
  return instruction.substr(instruction.find_last_of(" \t,") + 1);
}

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
  for (const LoopSpan& loop : loops) {
    const auto is_inside = [&](const LoopSpan& other) { return holds(loop, other); };
    const std::size_t count = loop.second + 1 - loop.first;
    if (std::any_of(loops.begin(), loops.end(), is_inside) || count <= function.loop_count) continue;
    function.loop_first = loop.first;
    function.loop_count = count;
  }
  return function;
}

}  // namespace hf::compilers
