#include "text.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace hf {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string spaces(width > columns(text) ? width - columns(text) : 0, ' ');
  return right ? spaces + text : text + spaces;
}

std::size_t longest_word(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::size_t longest = 0;
  for (std::string word; words >> word;) longest = std::max(longest, columns(word));
  return longest;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::istringstream words{std::string(text)};
  std::vector<std::string> lines(1);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (columns(line) + 1 + columns(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace hf
