/// \file
/// Fits text into terminal columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hf {

/// The columns that UTF-8 text takes: one per code point.
std::size_t columns(std::string_view text);

/// The text padded with spaces to a width: on the left (right-aligned) if `right`, else on the right.
std::string padded(const std::string& text, std::size_t width, bool right);

/// The columns of the longest word.
std::size_t longest_word(std::string_view text);

/// The text broken between words into lines of at most `width` columns; a longer word gets its own line. At least one
/// line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace hf
