#include "schema.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "record.hpp"

namespace hf {

extern const char kSchemaText[];  // schema.json, embedded by CMake

namespace {

using valijson::adapters::NlohmannJsonAdapter;

const Json& record_schema() {
  static const Json schema = Json::parse(kSchemaText);
  return schema;
}

const valijson::Schema& compiled_schema() {
  static const valijson::Schema& schema = []() -> const valijson::Schema& {
    static valijson::Schema parsed;
    valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(record_schema()), parsed);
    return parsed;
  }();
  return schema;
}

const Json& resolved(const Json& rule) {
  return rule.contains("$ref") ? record_schema().at(Json::json_pointer(rule["$ref"].get<std::string>().substr(1)))
                               : rule;
}

// The rule of schema.json for the member `name` of an object with the rule `rule`.
const Json& member_rule(const Json& rule, const std::string& name) {
  static const Json kNone = Json::object();
  if (rule.contains("items")) return resolved(rule["items"]);
  if (rule.contains("properties") && rule["properties"].contains(name)) return resolved(rule["properties"][name]);
  if (rule.contains("additionalProperties") && rule["additionalProperties"].is_object()) {
    return resolved(rule["additionalProperties"]);
  }
  return kNone;
}

// The rule in words, since the validator names only the keyword that failed, not the value it requires.
std::string in_words(const Json& rule) {
  std::string words;
  const auto say = [&](const char* keyword, const std::string& before, const std::string& after = "") {
    if (rule.contains(keyword)) words += (words.empty() ? "" : ", ") + before + rule[keyword].dump() + after;
  };
  say("const", "");
  say("enum", "one of ");
  say("type", "type ");
  say("pattern", "matching ");
  say("minLength", "at least ", " characters");
  say("maxLength", "at most ", " characters");
  say("minItems", "at least ", " items");
  say("maxItems", "at most ", " items");
  say("minProperties", "at least ", " properties");
  say("maxProperties", "at most ", " properties");
  say("minimum", "at least ");
  say("exclusiveMinimum", "more than ");
  say("maximum", "at most ");
  return words;
}

// A token of the validator's context, "[series]" or "[3]", without its brackets.
std::string token(const std::string& context) { return context.substr(1, context.size() - 2); }

Problem problem(const valijson::ValidationResults::Error& error) {
  Json::json_pointer at;
  const Json* rule = &record_schema();
  for (std::size_t i = 1; i < error.context.size(); ++i) {  // the first is "<root>"
    at /= token(error.context[i]);
    rule = &member_rule(*rule, token(error.context[i]));
  }
  const bool about_a_property = error.description.find("property '") != std::string::npos ||
                                error.description.find("constraints: '") != std::string::npos;
  if (!about_a_property) return {at.to_string(), "expected " + in_words(*rule), "run the lab again"};
  const auto quote = error.description.find('\'');
  const bool missing = error.description.starts_with("Missing");
  auto name = error.description.substr(missing ? quote : error.description.rfind(": '") + 2);
  if (name.ends_with('.')) name.pop_back();
  return {at.to_string(), (missing ? "expected a property " : "expected no property ") + name, "run the lab again"};
}

std::regex pattern_of(const char* definition) {
  return std::regex(record_schema().at("definitions").at(definition).at("pattern").get<std::string>());
}

}  // namespace

bool well_formed_id(const std::string& id) {
  static const std::regex pattern = pattern_of("id");
  return std::regex_match(id, pattern);
}

std::string refused_folder(const std::filesystem::path& folder) {
  const Json& rule = record_schema().at("/properties/machine/properties/slug"_json_pointer);
  static const std::regex pattern(rule.at("pattern").get<std::string>());
  const std::string name = folder.filename().string();
  const auto longest = rule.at("maxLength").get<std::size_t>();
  if (name != "here" && name.size() <= longest && std::regex_match(name, pattern)) return "";
  return line(folder.string(),
              {"",
               "expected the name of a machine: lower-case letters, digits and single hyphens, at most " +
                   std::to_string(longest) + ", and not \"here\"",
               "rename the folder"});
}

bool known_unit(const std::string& unit) {
  static const std::regex pattern = pattern_of("unit");
  return std::regex_match(unit, pattern);
}

std::vector<Problem> check_schema(const Json& record) {
  valijson::Validator validator;
  const NlohmannJsonAdapter target(record);
  if (validator.validate(compiled_schema(), target, nullptr)) return {};

  valijson::ValidationResults results;
  validator.validate(compiled_schema(), target, &results);
  std::vector<Problem> problems;
  for (const auto& error : results) {
    const bool echo = error.description.starts_with("Failed to validate");  // repeats a member's error
    if (!echo) problems.push_back(problem(error));
  }
  return problems;
}

bool is_positive_unit(const std::string& unit) {
  static const std::set<std::string> units = {"GFLOP/s", "TFLOP/s",  "Gop/s",     "Top/s",     "GB/s", "TB/s",
                                              "ns",      "us",       "ms",        "s",         "GHz",  "MHz",
                                              "cycles",  "tokens/s", "updates/s", "FLOP/byte", "W",    "pJ"};
  return units.contains(unit);
}

std::string promised_unit(const std::string& id, const std::string& unit) {
  static const std::map<std::string, std::vector<std::string>> units_by_end = {{"_gflops", {"GFLOP/s"}},
                                                                               {"_tflops", {"TFLOP/s"}},
                                                                               {"_gops", {"Gop/s"}},
                                                                               {"_tops", {"Top/s"}},
                                                                               {"_gbs", {"GB/s"}},
                                                                               {"_ghz", {"GHz"}},
                                                                               {"_ns", {"ns"}},
                                                                               {"_us", {"us"}},
                                                                               {"_ms", {"ms"}},
                                                                               {"_cycles", {"cycles"}},
                                                                               {"_bytes", {"B"}},
                                                                               {"_share", {"1", "%"}},
                                                                               {"_flop_per_byte", {"FLOP/byte"}}};
  for (const auto& [end, units] : units_by_end) {
    if (!id.ends_with(end)) continue;
    if (std::ranges::find(units, unit) != units.end()) continue;
    std::string wanted;
    for (const auto& each : units) wanted += (wanted.empty() ? "" : " or ") + each;
    return wanted;
  }
  return "";
}

}  // namespace hf
