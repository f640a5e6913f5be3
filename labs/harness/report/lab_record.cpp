#include "lab_record.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/machine/surroundings.hpp"
#include "harness/measure/blas.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/command.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/number_text.hpp"
#include "harness/measure/statistics.hpp"
#include "lab.hpp"
#include "record/check.hpp"
#include "record/file.hpp"
#include "record/inputs.hpp"
#include "record/law.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"
#include "system_state.hpp"

namespace hf {
namespace {

constexpr std::string_view library_prefix = "library:", environment_prefix = "environment:";

Json or_null(std::optional<double> share) { return share ? Json(round_significant(*share, 4)) : Json(nullptr); }

std::string input(const Inputs& inputs, const std::string& name) {
  const auto found = inputs.find(name);
  return found != inputs.end() ? found->second : "unknown";
}

double throttled_seconds(const Run& run) {
  return round_significant(std::max(run.at_end.throttled_seconds - run.at_start.throttled_seconds, 0.0), 4);
}

ThermalThrottling thermal_throttling(const Run& run) {
  const ThermalThrottling &end = run.at_end.thermal, &start = run.at_start.thermal;
  return {std::max<std::int64_t>(end.times - start.times, 0),
          round_significant(std::max(end.seconds - start.seconds, 0.0), 4)};
}

Json run_json(const Run& run, const Results& results, const std::vector<std::string>& warnings) {
  Json json = {{"started", run.started},
               {"seconds", round_significant(run.seconds, 4)},
               {"budget", name(run.budget)},
               {"complete", results.complete},
               {"quiet", quiet_between(run.at_start, run.at_end)},
               {"pressure", {{"before", or_null(run.at_start.pressure)}, {"after", or_null(run.at_end.pressure)}}},
               {"steal",
                {{"before", or_null(steal_between(run.at_start, run.before_body))},
                 {"after", or_null(steal_between(run.at_start, run.at_end))}}},
               {"clock_resolution_ns", clock_resolution_ns()},
               {"noise_floor", round_significant(run.noise_floor, 4)}};
  if (run.fewest_huge_pages) json["huge_page_share"] = round_significant(run.fewest_huge_pages->share, 4);
  if (const double seconds = throttled_seconds(run); seconds > 0) json["throttled_seconds"] = seconds;
  const ThermalThrottling thermal = thermal_throttling(run);
  if (thermal.times > 0) json["thermal_throttles"] = thermal.times;
  if (thermal.seconds > 0) json["thermal_seconds"] = thermal.seconds;
  std::vector<std::string> notes = warnings;
  notes.insert(notes.end(), results.notes.begin(), results.notes.end());
  if (!notes.empty()) json["notes"] = notes;
  return json;
}

Json toolchain_json(const Inputs& inputs, const Commit& commit) {
  Json json = {{"compiler", input(inputs, "compiler")},
               {"flags", input(inputs, "flags")},
               {"libraries", Json::object()},
               {"commit", commit.id}};
  if (commit.id != Commit().id) json["dirty"] = commit.dirty;
  for (const auto& [name, version] : inputs) {
    if (name.starts_with(library_prefix)) json["libraries"][name.substr(library_prefix.size())] = version;
  }
  return json;
}

/// The value of an input that is only known when the lab runs.
std::string found_now(const std::string& name) {
  if (!name.starts_with(environment_prefix)) return library_version(name.substr(library_prefix.size()));
  const char* text = std::getenv(name.c_str() + environment_prefix.size());
  if (text == nullptr || *text == '\0') return "not set";
  // The folder of a program may name a person, the program does not.
  const std::string first = std::string(text).substr(0, std::string(text).find(' '));
  return first.starts_with('/') ? std::filesystem::path(first).filename().string() + (text + first.size()) : text;
}

/// Series or values, each with the line that added it.
template <class Items>
Json list(const Items& items, const char* what, const Results& results) {
  Json json = Json::array();
  for (const auto& item : items) {
    json.push_back(to_json(item));
    const auto place = results.places.find(what + item.id);
    if (place != results.places.end()) json.back()["at"] = place->second;
  }
  return json;
}

}  // namespace

const char* name(Budget budget) { return budget == Budget::quick ? "quick" : "full"; }

void complete_inputs(Inputs& inputs, const Machine& machine) {
  inputs["machine"] = machine.canonical();
  for (const std::string& name : known_isa()) inputs["isa:" + name] = machine.has(name) ? "yes" : "no";
  inputs["has:huge_pages"] = machine.huge_pages ? "yes" : "no";
  for (auto& [name, version] : inputs) {
    if (version == kFoundWhenItRuns) {
      version = found_now(name);
    } else if (version.starts_with(kFoundAt)) {
      version = library_identity(version.substr(kFoundAt.size()));
    }
  }
}

std::vector<std::string> warnings(const Inputs& inputs, const Run& run, const Machine& machine) {
  std::vector<std::string> lines;
  const std::string build = refused_flags(input(inputs, "flags"));
  if (!build.empty()) lines.push_back("not an optimised build: " + build);
  const double cores = machine.cores, quota = machine.surroundings.cpu_quota.value_or(cores);
  if (quota < cores)
    lines.push_back("the control group allows " + number_text(quota) + " of " + number_text(cores) + " cores");
  if (const double seconds = throttled_seconds(run); seconds > 0)
    lines.push_back("the control group's quota stopped the lab for " + number_text(seconds) + " s");
  if (const ThermalThrottling thermal = thermal_throttling(run); thermal.times > 0)
    lines.push_back("the cores slowed down " + std::to_string(thermal.times) + " times because of their temperature" +
                    (thermal.seconds > 0 ? ", for " + number_text(thermal.seconds) + " s" : ""));
  return lines;
}

std::string huge_page_note(const std::optional<HugePages>& fewest) {
  if (!fewest || fewest->share >= enough_huge_pages) return "";
  return "the system put only " + number_text(100 * fewest->share) + "% of a buffer of " +
         capacity_text(fewest->bytes) + " on huge pages, so random reads also wait for addresses to be translated";
}

void check_before_measuring(const Inputs& inputs, const Machine& machine) {
  const Json known = {
      {"lab", {{"inputs", inputs}}}, {"machine", machine.to_json()}, {"toolchain", toolchain_json(inputs, Commit())}};
  const std::vector<Problem> problems = identifying(known, this_identity());
  if (!problems.empty()) {
    Problem first = problems.front();
    first.remedy = "build again without it";
    throw FileError(line("the record", first));
  }
}

Json make_record(const LabInfo& info, const Inputs& inputs, const Run& run, const Machine& machine,
                 const Commit& commit, const Results& results, const std::vector<Law>& laws) {
  Json law_texts = Json::array();
  for (const Law& law : laws) law_texts.push_back(law.text);
  return {{"schema", kSchemaVersion},
          {"lab", {{"id", info.id}, {"title", info.title}, {"key", input_key(inputs)}, {"inputs", inputs}}},
          {"run", run_json(run, results, warnings(inputs, run, machine))},
          {"machine", machine.to_json()},
          {"toolchain", toolchain_json(inputs, commit)},
          {"series", list(results.series, "series ", results)},
          {"values", list(results.values, "value ", results)},
          {"laws", law_texts}};
}

namespace {

/// True if this folder is the root of a checkout, not somewhere within another project's.
bool is_top_level(const std::filesystem::path& folder) {
  std::string top = output_of({"git", "-C", folder.string(), "rev-parse", "--show-toplevel"});
  while (top.ends_with('\n')) top.pop_back();
  std::error_code error;
  return !top.empty() && std::filesystem::equivalent(top, folder, error);
}

}  // namespace

bool is_unreadable_checkout(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / ".git", error) && !is_top_level(folder);
}

Commit read_commit(const std::filesystem::path& checkout) {
  Commit commit;
  if (!is_top_level(checkout)) return commit;
  // Git's lock for refreshing its index is optional; not taking it avoids conflicts with another running git.
  std::istringstream lines(output_of({"git", "--no-optional-locks", "-C", checkout.string(), "status", "--porcelain=v2",
                                      "--branch", "--untracked-files=no"}));
  const std::string oid = "# branch.oid ";  // followed by "(initial)" before the first commit
  for (std::string line; std::getline(lines, line);) {
    const std::string id = line.starts_with(oid) ? line.substr(oid.size()) : "";
    if (!id.empty() && id.find_first_not_of("0123456789abcdef") == std::string::npos) commit.id = id;
    if (!line.starts_with("#")) commit.dirty = true;
  }
  return commit;
}

}  // namespace hf
