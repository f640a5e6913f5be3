/// \file
/// Marks a text that is only shown: the key of a record leaves it out (record/tokens.hpp), so that another word for a
/// curve ages no record. A text that chooses what is measured, or how a result is found, is never marked.
#pragma once

namespace hf {

constexpr const char* shown_as(const char* text) { return text; }

}  // namespace hf
