/// \file
/// A chapter's claims, as claims.json has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hf {

/// A sentence of a chapter that compares: the value that decides it, and the bound that the value is held to. The unit
/// is that of the value.
struct ClaimText {
  std::string id;     ///< [a-z][a-z0-9-]*
  std::string text;   ///< the sentence
  std::string value;  ///< id of the value that decides
  std::string bound;  ///< ">= 20", "<= 0.3", "> 1", "< 5"
};

/// A lab's claims.json: a list of objects with exactly the members of ClaimText, each a text, in the order of the chapter.
/// The lab decides them from it, and the site and `make check` read it. `name` stands for the file in errors.
/// Throws FileError.
std::vector<ClaimText> parse_claims(std::string_view text, const std::string& name);

}  // namespace hf
