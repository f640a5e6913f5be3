/// \file
/// Text in columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hf {

/// Columns that UTF-8 text takes, at one for each code point.
std::size_t columns(std::string_view text);

/// Filled with spaces to a width: on its left when `right` says that it stands to the right.
std::string padded(const std::string& text, std::size_t width, bool right);

/// Columns of the longest word.
std::size_t longest_word(std::string_view text);

/// Broken between words into lines of at most so many columns; a longer word is a line of its own. At least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace hf
