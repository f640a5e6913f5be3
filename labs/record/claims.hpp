/// \file
/// A chapter's claims, as claims.json has them, and what a record says of one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace hf {

/// A sentence of a chapter that compares: the value that decides it, and the bound that the value is held to. The unit
/// is that of the value.
struct Claim {
  std::string id;          ///< [a-z][a-z0-9-]*
  std::string text;        ///< the sentence
  std::string value;       ///< what decides: the id of a value, or a point of a series (number_at())
  std::string bound;       ///< ">= 20", "<= 0.3", "> 1", "< 5"
  std::string shown = {};  ///< how its number is shown (site/hardware_first/statements.py)
};

/// What a record says of a claim: that it holds or fails wherever in its interval the number is; or, where the bound lies inside
/// of the interval, that it is too close to call.
enum class Answer { holds, fails, too_close };

struct Verdict {
  Number observed;
  Answer answer;
};

/// "holds", "fails" or "too close to call".
const char* words(Answer answer);

/// A lab's claims.json: a list of objects with the members of Claim, each a text, in the order of the chapter; `shown` may be
/// left out.
/// The site and `make check` read it too. `name` stands for the file in errors. Throws FileError.
std::vector<Claim> parse_claims(std::string_view text, const std::string& name);

/// The claims of the lab `id` below `labs`, none where it has no claims.json. Throws FileError.
std::vector<Claim> load_claims(const std::filesystem::path& labs, const std::string& id);

/// The verdict of `record` (as_read()), none where it lacks the value. It is of the numbers as the record has them, digit for
/// digit: from the same numbers the site decides.
std::optional<Verdict> decide(const Claim& claim, const nlohmann::json& record);

}  // namespace hf
