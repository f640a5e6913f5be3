#include "speed_laws.hpp"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record/law.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"

namespace hf {
namespace {

// Each law once. Leaves out texts that are not laws: check() reports them.
std::vector<Law> laws_of(const Json& record, const std::filesystem::path& labs) {
  std::set<std::string> texts;
  for (const Json& text : record.value("laws", Json::array())) texts.insert(text.get<std::string>());
  for (const Law& law : load_laws(labs, record.at("/lab/id"_json_pointer))) texts.insert(law.text);
  std::vector<Law> laws;
  for (const std::string& text : texts) {
    try {
      laws.push_back(parse_law(text));
    } catch (const BadLaw&) {
      continue;
    }
  }
  return laws;
}

}  // namespace

bool depends_on_host(std::string_view kind, const std::string& unit, double number) {
  const bool is_ratio = (unit == "1" || unit == "%") && number != std::round(number);
  return kind == "measured" && (is_ratio || is_positive_unit(unit));
}

bool is_speed_law(const Law& law, const Json& record, const std::string& pointer) {
  if (law.kind == Law::Kind::equal || law.kind == Law::Kind::in_units) return false;
  const Json::json_pointer at(pointer);
  if (at.empty() || (at.back() != "value" && at.back() != "median")) return false;  // a unit, not a number
  const bool is_point = at.back() == "median";
  const Json& owner = record.at(is_point ? at.parent_pointer().parent_pointer().parent_pointer() : at.parent_pointer());
  return depends_on_host(owner.at("kind").get<std::string>(), is_point ? owner.at("y").at("unit") : owner.at("unit"),
                         record.at(at));
}

std::vector<Problem> broken_speed_laws(const Json& record, const std::filesystem::path& labs) {
  std::vector<Problem> broken;
  Json alone = record;
  for (const Law& law : laws_of(record, labs)) {
    alone["laws"] = {law.text};
    for (const Problem& problem : check_laws(alone, {})) {
      if (is_speed_law(law, record, problem.pointer)) broken.push_back(problem);
    }
  }
  return broken;
}

}  // namespace hf
