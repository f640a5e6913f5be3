/// \file
/// Marks a text that is only shown: the key of a record leaves it out (record/tokens.hpp), so another word for a curve
/// ages no record. Texts that choose what is measured stay unmarked. (A point's label also names its row, as in
/// rungs[loop_order]: whoever rewords it changes the definitions and claims that use the row, too.)
#pragma once

namespace hf {

constexpr const char* shown_as(const char* text) { return text; }

}  // namespace hf
