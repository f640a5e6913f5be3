/// \file
/// What a C++ source says, whatever its layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hf {

/// The tokens of a C++20 source, one a line, as they count for a record's key: comments, blank space and lines `#include "…"`
/// are left out. Two sources have the same text exactly where they have the same tokens, with the same ones in each
/// directive. A directive stands between the lines "[#" and "#]", `#include <…>` names its header in one token, as does
/// `#define F(` its macro with the parenthesis that a blank would part from it, and a newline in a raw string is a carriage
/// return.
///
/// Nothing where a compiler might read another thing, such as a literal or a comment without an end, a line that ends in a
/// backslash outside a directive, or a byte that C++ does not know: then only the bytes tell two sources apart. The text does
/// not show how a macro's argument was spaced, which `#` copies into a string, nor the number of a line, which is `__LINE__`.
std::optional<std::string> tokens_of(std::string_view source);

}  // namespace hf
