/// \file
/// A chapter's claims, as in claims.json, and a record's verdicts on them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace hf {

/// A sentence of a chapter that makes a comparison: the value that decides it, and the bound that the value must
/// satisfy, in the same unit.
struct Claim {
  std::string id;          ///< [a-z][a-z0-9-]*
  std::string text;        ///< the sentence
  std::string value;       ///< decides it: the id of a value, or a point of a series (number_at())
  std::string bound;       ///< ">= 20", "<= 0.3", "> 1", "< 5"
  std::string shown = {};  ///< how its number is shown (press/measurements/claims.py)
};

/// A record's answer to a claim: it holds or fails for all numbers in the interval; if the bound lies inside the
/// interval, it is too close to call.
enum class Answer { holds, fails, too_close };

struct Verdict {
  Number observed;
  Answer answer;
};

/// "holds", "fails" or "too close to call".
const char* words(Answer answer);

/// Parses a lab's claims.json: a list of objects with the members of Claim, each a text, in the order of the chapter;
/// `shown` is optional. The site reads it too. Error messages call the file `name`. Throws FileError.
std::vector<Claim> parse_claims(std::string_view text, const std::string& name);

/// The claims of the lab `id` below `labs`, none without a claims.json. Throws FileError.
std::vector<Claim> load_claims(const std::filesystem::path& labs, const std::string& id);

/// The verdict of `record` (as_read()), nothing if the record does not have the value. It uses the numbers exactly as
/// the record has them, and so does the site.
std::optional<Verdict> decide(const Claim& claim, const nlohmann::json& record);

}  // namespace hf
