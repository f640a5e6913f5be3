#include "claims.hpp"

#include <array>
#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace hf {
namespace {

struct Member {
  const char* name;
  std::string ClaimText::*field;
  const char* pattern;
  const char* words;
};

// The patterns of schema.json.
constexpr std::array kMembers = {
    Member{"id", &ClaimText::id, "[a-z][a-z0-9-]*", "lower-case letters, digits and hyphens"},
    Member{"text", &ClaimText::text, "\\S.*", "a sentence"},
    Member{"value", &ClaimText::value, "[a-z][a-z0-9_]*", "the id of a value"},
    Member{"bound", &ClaimText::bound, "(>=|<=|>|<) -?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?", "a bound such as \">= 20\""}};

ClaimText parse_claim(const Json& json, const std::string& where) {
  const auto refuse = [&](const std::string& expected) { throw FileError(where + ": expected " + expected); };
  if (!json.is_object() || json.size() != kMembers.size()) refuse("an object of id, text, value and bound; correct it");
  ClaimText claim;
  for (const Member& member : kMembers) {
    if (!json.contains(member.name) || !json[member.name].is_string()) {
      refuse(std::string("a text called ") + member.name + "; add it");
    }
    claim.*member.field = json[member.name];
    if (std::regex_match(claim.*member.field, std::regex(member.pattern))) continue;
    refuse(std::string(member.words) + " for " + member.name + ", not \"" + printable(claim.*member.field) +
           "\"; correct it");
  }
  return claim;
}

}  // namespace

std::vector<ClaimText> parse_claims(std::string_view text, const std::string& name) {
  const Json list = parse_json(text, name);
  if (!list.is_array()) throw FileError(name + ": expected a list of claims; correct it");
  std::vector<ClaimText> claims;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = name + ": /" + std::to_string(i);
    claims.push_back(parse_claim(list[i], where));
    if (!ids.insert(claims.back().id).second) {
      throw FileError(where + "/id: expected each id once, not " + claims.back().id + " again; rename one");
    }
  }
  return claims;
}

}  // namespace hf
