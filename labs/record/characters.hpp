/// \file
/// Finds characters that make a text look different from its content; no honest text contains them.
#pragma once

#include <string>
#include <string_view>

namespace hf {

/// The kind of forbidden characters in `text`: "control characters" (including line and paragraph separators),
/// "bidirectional controls", "invisible characters", "accents on accents", "noncharacters", or "bytes that are not
/// UTF-8"; empty for honest text.
std::string dishonest_characters(std::string_view text);

/// `text` with all of these written as `\xNN`, so that a message containing foreign text stays on one line, looks like
/// its content and cannot control a terminal.
std::string printable(std::string_view text);

}  // namespace hf
