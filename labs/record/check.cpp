#include "check.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "consistency.hpp"
#include "identity.hpp"
#include "laws.hpp"
#include "record.hpp"
#include "schema.hpp"

namespace hf {
namespace {

void append(std::vector<Problem>& problems, const std::vector<Problem>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

}  // namespace

std::string line(const std::string& file, const Problem& problem) {
  const std::string where = problem.pointer.empty() ? "" : problem.pointer + ": ";
  return printable(file + ": " + where + problem.expected + "; " + problem.remedy);
}

std::vector<Problem> check(const nlohmann::json& record, const Identity& identity, const std::filesystem::path& labs) {
  // Each step relies on the one before it.
  std::vector<Problem> problems = check_schema(record);
  if (problems.empty()) problems = not_finite(record);
  if (!problems.empty()) return problems;
  problems = check_consistency(record);
  if (problems.empty()) problems = check_laws(record, labs);
  append(problems, identifying(record, identity));
  return problems;
}

std::vector<Problem> check_publishable(const nlohmann::json& record) {
  const nlohmann::json& run = record.at("run");
  std::vector<Problem> problems;
  if (run.at("budget") != "full") {
    problems.push_back({"/run/budget", "expected \"full\" for publication", "run the lab with BUDGET=full"});
  }
  if (!run.at("complete").get<bool>()) {
    problems.push_back({"/run/complete", "expected true for publication", "run the lab to its end"});
  }
  if (record.at("machine").value("emulated", false)) {
    problems.push_back({"/machine/emulated", "expected false for publication", "run the lab on the machine itself"});
  }
  return problems;
}

}  // namespace hf
