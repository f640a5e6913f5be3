/// \file
/// The tokens of a C++ source, whatever its layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hf {

/// The tokens of a C++20 source, one per line, as a record's key counts them: without comments, blank space, lines
/// `#include "…"`, and the texts in a call of shown_as(), note(), incomplete() or show(), which are only shown, and may
/// be reworded. Otherwise two sources have the same text exactly if they have the same tokens, with the same ones in
/// each directive. A directive is enclosed in the lines "[#" and "#]", and `#include <…>` has its header as one token.
/// In `#define F(` the macro and the parenthesis are one token, because a blank between them changes the meaning. A
/// newline in a raw string becomes a carriage return.
///
/// Returns nothing if a compiler might read the source differently: for an unterminated literal or comment, a line that
/// ends in a backslash outside a directive, or a byte that is invalid in C++. Then only the bytes distinguish two
/// sources. The text shows neither the spacing of a macro's argument, which `#` copies into a string, nor line numbers,
/// which `__LINE__` returns.
std::optional<std::string> tokens_of(std::string_view source);

}  // namespace hf
