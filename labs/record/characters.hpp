/// \file
/// Characters that no honest text has, which make what a reader sees another thing than what stands there.
#pragma once

#include <string>
#include <string_view>

namespace hf {

/// What `text` has that it should not: "control characters" (line and paragraph separators with them), "bidirectional
/// controls", "noncharacters", or "bytes that are not UTF-8"; empty for honest text.
std::string dishonest_characters(std::string_view text);

/// `text` with all of these written as `\xNN`, so that a message made of foreign text stays one line, reads as it stands
/// and cannot steer a terminal.
std::string printable(std::string_view text);

}  // namespace hf
