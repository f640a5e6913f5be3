#include "claims.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
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
  std::string Claim::*field;
  const char* pattern;
  const char* words;
};

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

constexpr std::array kMembers = {
    Member{"id", &Claim::id, "[a-z][a-z0-9-]*", "lower-case letters, digits and hyphens"},
    Member{"text", &Claim::text, "\\S.*", "a sentence"},
    Member{"value", &Claim::value, "[a-z][a-z0-9_]*(\\[[a-z0-9_]+\\])?", "the id of a value"},
    Member{"bound", &Claim::bound, "(>=|<=|>|<) -?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?", "a bound such as \">= 20\""}};

Claim parse_claim(const Json& json, const std::string& where) {
  const auto refuse = [&](const std::string& expected) { throw FileError(where + ": expected " + expected); };
  if (!json.is_object() || json.size() != kMembers.size()) refuse("an object of id, text, value and bound; correct it");
  Claim claim;
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

// Whether a number satisfies a bound that parse_claim let through: a relation, a space, a number.
bool satisfies(double observed, const std::string& bound) {
  const auto space = bound.find(' ');
  const std::string relation = bound.substr(0, space);
  const double limit = std::strtod(bound.c_str() + space, nullptr);
  if (relation == ">=") return observed >= limit;
  if (relation == "<=") return observed <= limit;
  return relation == ">" ? observed > limit : observed < limit;
}

}  // namespace

std::vector<Claim> parse_claims(std::string_view text, const std::string& name) {
  const Json list = parse_json(text, name);
  if (!list.is_array()) throw FileError(name + ": expected a list of claims; correct it");
  std::vector<Claim> claims;
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

std::vector<Claim> load_claims(const std::filesystem::path& labs, const std::string& id) {
  const auto file = labs / id / "claims.json";
  if (!std::filesystem::exists(file)) return {};
  return parse_claims(read_file(file, kMaxBytes), file.string());
}

std::optional<Verdict> decide(const Claim& claim, const Json& record) {
  const auto number = number_at(record, claim.value);
  if (!number) return std::nullopt;
  return Verdict{number->median, number->unit, satisfies(number->median, claim.bound)};
}

}  // namespace hf
