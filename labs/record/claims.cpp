#include "claims.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "record.hpp"

namespace hf {
namespace {

// A relation, a space, and a number.
struct Bound {
  std::string_view relation;
  double limit;
};

std::optional<Bound> parse_bound(std::string_view text) {
  const auto space = std::min(text.find(' '), text.size());
  const std::string_view relation = text.substr(0, space), number = text.substr(std::min(space + 1, text.size()));
  double limit = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
  const bool known = relation == ">=" || relation == "<=" || relation == ">" || relation == "<";
  if (!known || error != std::errc() || end != number.data() + number.size() || !std::isfinite(limit)) return {};
  return Bound{relation, limit};
}

bool is_id(const std::string& text) { return is_word(text, '-'); }
bool is_bound(const std::string& text) { return parse_bound(text).has_value(); }
bool is_sentence(const std::string& text) {
  return !text.empty() && !std::isspace(static_cast<unsigned char>(text[0])) && text.find('\n') == std::string::npos;
}

// The id of a value, or a point of a series, as in "speed[q4_0]".
bool is_address(const std::string& text) {
  const auto bracket = text.find('[');
  if (bracket == std::string::npos) return is_word(text, '_');
  const std::string row = text.substr(bracket + 1, text.size() - bracket - 2);
  return is_word(text.substr(0, bracket), '_') && text.ends_with(']') && is_word("x" + row, '_') && !row.empty();
}

struct Member {
  const char* name;
  std::string Claim::*field;
  bool (*fits)(const std::string&);
  const char* words;
};

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

constexpr std::array kMembers = {Member{"id", &Claim::id, is_id, "lower-case letters, digits and hyphens"},
                                 Member{"text", &Claim::text, is_sentence, "a sentence"},
                                 Member{"value", &Claim::value, is_address, "the id of a value"},
                                 Member{"bound", &Claim::bound, is_bound, "a bound such as \">= 20\""},
                                 Member{"shown", &Claim::shown, is_sentence, "a way to show a number"}};

Claim parse_claim(const Json& json, const std::string& where) {
  const auto refuse = [&](const std::string& expected) { throw FileError(where + ": expected " + expected); };
  const bool has_shown = json.is_object() && json.contains("shown");
  if (!json.is_object() || json.size() != kMembers.size() - !has_shown) {
    refuse("an object of id, text, value, bound and perhaps shown; correct it");
  }
  Claim claim;
  for (const Member& member : kMembers) {
    if (member.field == &Claim::shown && !has_shown) continue;
    if (!json.contains(member.name) || !json[member.name].is_string()) {
      refuse(std::string("a text called ") + member.name + "; add it");
    }
    claim.*member.field = json[member.name];
    if (member.fits(claim.*member.field)) continue;
    refuse(std::string(member.words) + " for " + member.name + ", not \"" + printable(claim.*member.field) +
           "\"; correct it");
  }
  return claim;
}

bool satisfies(double observed, const Bound& bound) {
  if (bound.relation == ">=") return observed >= bound.limit;
  if (bound.relation == "<=") return observed <= bound.limit;
  return bound.relation == ">" ? observed > bound.limit : observed < bound.limit;
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

const char* words(Answer answer) {
  switch (answer) {
    case Answer::holds: return "holds";
    case Answer::fails: return "fails";
    case Answer::too_close: return "too close to call";
  }
  return "";
}

std::optional<Verdict> decide(const Claim& claim, const Json& record) {
  const auto number = number_at(record, claim.value);
  if (!number) return std::nullopt;
  const Bound bound = parse_bound(claim.bound).value();
  const bool low = satisfies(number->interval.low, bound), high = satisfies(number->interval.high, bound);
  return Verdict{*number, low != high ? Answer::too_close : low ? Answer::holds : Answer::fails};
}

}  // namespace hf
