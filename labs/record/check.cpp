#include "check.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/measure/samples.hpp"
#include "inputs.hpp"
#include "law.hpp"
#include "record.hpp"
#include "schema.hpp"

namespace hf {
namespace {

using Pointer = Json::json_pointer;

constexpr double kRounding = 1e-4;
constexpr double kLeast = 1e-30, kMost = 1e18;  // bounds on nonzero numbers, so that sums and ratios stay finite
constexpr double kMostPercent = 1e6;
constexpr std::size_t kMostLabels = 200;          // in one figure
constexpr std::chrono::year kYearOfFormat{2026};  // no book has older records: the format didn't exist
constexpr std::chrono::year kMostDistant{2099};   // a clock that says more is wrong

std::string exact(double value) { return digits(value, 10); }

class Problems {
 public:
  void add(const Pointer& at, const std::string& expected) {
    found_.push_back({at.to_string(), "expected " + expected, "run the lab again"});
  }
  std::vector<Problem> found() const { return found_; }

 private:
  std::vector<Problem> found_;
};

void check_quantile(const Json& number, const char* field, double q, const Pointer& at, Problems& problems) {
  if (!number.contains(field)) return;
  const double expected = quantile(number.at("samples").get<std::vector<double>>(), q);
  const double actual = number.at(field).get<double>();
  if (std::abs(actual - expected) > kRounding * std::max(std::abs(actual), std::abs(expected))) {
    problems.add(at / field,
                 exact(expected) + ", the " + exact(100 * q) + "th percentile of the samples, not " + exact(actual));
  }
}

/// The modes must match the samples on either side of some border; two_modes() decides where it is.
void check_modes(const Json& number, const Pointer& at, Problems& problems) {
  if (!number.contains("modes")) return;
  if (!number.contains("samples")) return problems.add(at, "samples, because it has modes");
  const Json& modes = number.at("modes");
  auto samples = number.at("samples").get<std::vector<double>>();
  std::ranges::sort(samples);
  const double count = static_cast<double>(samples.size());
  const double low = std::round(modes[0].at("share").get<double>() * count);
  const double shares[] = {low / count, 1 - low / count};
  const auto border = samples.begin() + static_cast<std::ptrdiff_t>(low);
  if (border == samples.begin() || border == samples.end()) {
    return problems.add(at / "modes" / 0 / "share", "a share of " + exact(count) + " samples");
  }
  const std::vector<double> parts[] = {{samples.begin(), border}, {border, samples.end()}};
  for (std::size_t i = 0; i < 2; ++i) {
    const double share = modes[i].at("share").get<double>();
    if (std::abs(share - shares[i]) > kRounding) {
      problems.add(at / "modes" / i / "share", exact(shares[i]) + ", not " + exact(share));
    }
    const Json part = {{"samples", parts[i]}, {"median", modes[i].at("median")}};
    check_quantile(part, "median", 0.5, at / "modes" / i, problems);
  }
}

/// Checks the fields that points and values share; `median` is the name of the field with the middle.
void check_number(const Json& number, const char* median, const std::string& unit, const Pointer& at,
                  Problems& problems) {
  if (number.contains("low") != number.contains("high")) problems.add(at, "low and high together");
  const double middle = number.at(median).get<double>();
  const double low = number.value("low", middle);
  const double high = number.value("high", middle);
  if (!(low <= middle)) problems.add(at / "low", "at most " + exact(middle) + ", not " + exact(low));
  if (!(middle <= high)) problems.add(at / "high", "at least " + exact(middle) + ", not " + exact(high));
  if (unit == "%" && !(std::abs(middle) <= kMostPercent))
    problems.add(at / median, "at most " + exact(kMostPercent) + " %");
  if (is_positive_unit(unit) && !(middle > 0)) problems.add(at / median, "more than 0 " + unit);
  check_modes(number, at, problems);
  if (!number.contains("samples")) return;
  check_quantile(number, "low", 0.05, at, problems);
  check_quantile(number, median, 0.50, at, problems);
  check_quantile(number, "high", 0.95, at, problems);
}

void check_source(const Json& item, const Pointer& at, Problems& problems) {
  if (item.at("kind") == "quoted" && !item.contains("source")) problems.add(at, "a source, because it is quoted");
}

// Points are identified by x, which increases, or all by their labels.
void check_order(const Json& points, const Pointer& at, Problems& problems) {
  std::set<std::string> labels;
  for (const Json& point : points) labels.insert(point.value("label", ""));
  if (labels.size() > kMostLabels) problems.add(at, "at most " + std::to_string(kMostLabels) + " different labels");
  const bool labelled = labels.size() == points.size() && !labels.contains("");
  if (labelled) return;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].at("x").get<double>() > points[i - 1].at("x").get<double>()) continue;
    problems.add(at / i / "x", "more than the x before it, or a different label on each point");
    return;
  }
}

void check_series(const Json& series, const Pointer& at, Problems& problems) {
  const auto& unit = series.at("y").at("unit").get_ref<const std::string&>();
  check_source(series, at, problems);
  const Json& points = series.at("points");
  check_order(points, at / "points", problems);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Pointer point = at / "points" / i;
    check_number(points[i], "median", unit, point, problems);
    if (series.at("kind") == "measured" && !points[i].contains("samples")) {
      problems.add(point, "samples, because it is measured");
    }
  }
}

void check_value(const Json& value, const Pointer& at, Problems& problems) {
  const auto& id = value.at("id").get_ref<const std::string&>();
  const auto& unit = value.at("unit").get_ref<const std::string&>();
  check_source(value, at, problems);
  const std::string wanted = promised_unit(id, unit);
  if (!wanted.empty()) problems.add(at / "unit", "unit " + wanted + " for " + id + ", not " + unit);
  check_number(value, "value", unit, at, problems);
}

using Check = void (*)(const Json& item, const Pointer& at, Problems& problems);

void check_list(const Json& record, const char* name, Check check_item, Problems& problems) {
  std::set<std::string> ids;
  const Json& list = record.at(name);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Pointer at = Pointer() / name / i;
    const auto& id = list[i].at("id").get_ref<const std::string&>();
    if (!ids.insert(id).second) problems.add(at / "id", "each id once, not " + id + " again");
    check_item(list[i], at, problems);
  }
}

void check_time(const Json& record, Problems& problems) {
  const auto& text = record.at("/run/started"_json_pointer).get_ref<const std::string&>();
  if (!plausible_time(text)) {
    problems.add("/run/started"_json_pointer, "a date and time between " + std::to_string(int(kYearOfFormat)) +
                                                  " and " + std::to_string(int(kMostDistant)) + ", not " + text);
  }
}

void check_key(const Json& record, Problems& problems) {
  const auto key = input_key(record.at("/lab/inputs"_json_pointer).get<Inputs>());
  if (record.at("/lab/key"_json_pointer) != key)
    problems.add("/lab/key"_json_pointer, key + ", the hash of the inputs");
}

// Checked here, because for uniqueItems in the schema the validator compares all pairs, however many there are.
void check_instruction_sets(const Json& record, Problems& problems) {
  const Json& isa = record.at("/machine/isa"_json_pointer);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < isa.size(); ++i) {
    if (!seen.insert(isa[i]).second) problems.add("/machine/isa"_json_pointer / i, "each instruction set once");
  }
}

// Some browsers misstate the number of cores. An older version of their page put it into the record all the same.
void check_cores(const Json& record, Problems& problems) {
  if (!is_browsers(record) && !record.at("machine").contains("cores")) {
    problems.add("/machine"_json_pointer, "a property 'cores'");
  }
}

void find_unmeasurable(const Json& value, const Pointer& at, Problems& problems) {
  if (value.is_number()) {
    const double size = std::abs(value.get<double>());
    if (!std::isfinite(size)) {
      problems.add(at, "a finite number");
    } else if (size != 0 && !(size >= kLeast && size <= kMost)) {
      problems.add(at,
                   "0 or a number between " + exact(kLeast) + " and " + exact(kMost) + " in size, not " + exact(size));
    }
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) find_unmeasurable(member, at / key, problems);
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) find_unmeasurable(value[i], at / i, problems);
  }
}

// Numbers of an implausible size, and NaN and infinities, which only a record in memory can contain.
std::vector<Problem> unmeasurable(const Json& record) {
  Problems problems;
  find_unmeasurable(record, Pointer(), problems);
  return problems.found();
}

std::vector<Problem> check_consistency(const Json& record) {
  Problems problems;
  check_key(record, problems);
  check_time(record, problems);
  check_instruction_sets(record, problems);
  check_cores(record, problems);
  check_list(record, "series", check_series, problems);
  check_list(record, "values", check_value, problems);
  return problems.found();
}

}  // namespace

bool is_browsers(const Json& record) {
  return record.at("/machine/slug"_json_pointer).get_ref<const std::string&>().starts_with("browser-on-");
}

bool plausible_time(const std::string& text) {
  using namespace std::chrono;
  const auto field = [&](std::size_t at, std::size_t size) { return std::atoi(text.substr(at, size).c_str()); };
  const year_month_day date{year(field(0, 4)), month(static_cast<unsigned>(field(5, 2))),
                            day(static_cast<unsigned>(field(8, 2)))};
  const bool time = field(11, 2) < 24 && field(14, 2) < 60 && field(17, 2) < 60;
  return date.ok() && time && date.year() >= kYearOfFormat && date.year() <= kMostDistant;
}

std::vector<Problem> check(const Json& record, const Identity& identity, const std::filesystem::path& labs) {
  // Each step relies on the one before it.
  std::vector<Problem> problems = check_schema(record);
  if (problems.empty()) problems = unmeasurable(record);
  if (!problems.empty()) return problems;
  problems = check_consistency(record);
  if (problems.empty()) problems = check_laws(record, labs);
  std::ranges::copy(identifying(record, identity), std::back_inserter(problems));
  return problems;
}

std::string refused_flags(const std::string& flags) {
  static const std::array kSlowing = {"-fsanitize=", "-fprofile", "-ftest-coverage", "--coverage",
                                      "-finstrument-functions"};
  std::string level;
  bool asserts = true;
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (word.starts_with("-O")) level = word;
    if (word.starts_with("-DNDEBUG")) asserts = false;
    if (word == "-UNDEBUG") asserts = true;
    if (word == "-pg") return "with -pg";
    const auto slows = [&](const char* start) { return word.starts_with(start); };
    if (std::any_of(kSlowing.begin(), kSlowing.end(), slows)) return "with " + word;
  }
  if (level != "-O2" && level != "-O3" && level != "-Ofast") {
    return level.empty() ? "without -O2, -O3 or -Ofast" : "with " + level + " instead of -O2, -O3 or -Ofast";
  }
  return asserts ? "without -DNDEBUG" : "";
}

namespace {

void check_build(const Json& record, std::vector<Problem>& problems) {
  const std::string flags = record.at("/toolchain/flags"_json_pointer);
  const std::string remedy = "measure again with cmake --preset default";
  if (const std::string refused = refused_flags(flags); !refused.empty()) {
    problems.push_back({"/toolchain/flags", "expected an optimised build for publication, not one " + refused, remedy});
  }
  const Json& inputs = record.at("/lab/inputs"_json_pointer);
  if (inputs.value("flags", flags) != flags) {
    problems.push_back({"/toolchain/flags", "expected the flags in /lab/inputs/flags", "run the lab again"});
  }
}

// A page has nothing to show without either, and its figures expect both.
void check_contents(const Json& record, std::vector<Problem>& problems) {
  for (const char* list : {"series", "values"}) {
    if (record.at(list).empty())
      problems.push_back({std::string("/") + list, "expected what the lab measures for publication, not an empty list",
                          "run the lab again"});
  }
}

// True if the machine has an instruction set whose name begins so.
bool has_some(const Json& machine, const std::string& beginning) {
  const Json& isa = machine.at("isa");
  return std::any_of(isa.begin(), isa.end(),
                     [&](const Json& name) { return name.get_ref<const std::string&>().starts_with(beginning); });
}

/// The most that a machine can compute and move in a second, in units of the book.
struct Most {
  double giga_operations, gigabytes;
};

// Some ten times what the fastest core or GPU does; a record with several hosts counts one of them.
Most most_of(const Json& record) {
  constexpr double gigahertz = 8, gigabytes_of_a_core = 5e3, giga_operations_of_a_gpu = 1e8, gigabytes_of_a_gpu = 1e6;
  const Json& machine = record.at("machine");
  const double a_cycle = has_some(machine, "amx") ? 16384 : has_some(machine, "avx512") ? 2048 : 1024;
  const auto hosts = number_at(record, "hosts");
  const double cores = machine.at("cores").get<double>() * (hosts ? hosts->interval.median : 1);
  const auto gpus = static_cast<double>(machine.at("gpus").size());
  return {cores * gigahertz * a_cycle + gpus * giga_operations_of_a_gpu,
          cores * gigabytes_of_a_core + gpus * gigabytes_of_a_gpu};
}

// The most in a unit of speed; nothing for another unit.
std::optional<double> most_in(const std::string& unit, const Most& most) {
  if (unit == "GFLOP/s" || unit == "Gop/s") return most.giga_operations;
  if (unit == "TFLOP/s" || unit == "Top/s") return most.giga_operations / 1e3;
  if (unit == "GB/s") return most.gigabytes;
  return unit == "TB/s" ? std::optional(most.gigabytes / 1e3) : std::nullopt;
}

// No measured speed is above what such a machine can do.
void check_speeds(const Json& record, std::vector<Problem>& problems) {
  const Most most = most_of(record);
  const auto check = [&](const Json& number, const char* median, const std::string& unit, const Pointer& at) {
    const double found = number.value("high", number.at(median).get<double>());
    if (const auto bound = most_in(unit, most); bound && found > *bound)
      problems.push_back({at.to_string(),
                          "expected at most " + exact(*bound) + " " + unit +
                              ", which no machine with these cores and GPUs exceeds, not " + exact(found),
                          "run the lab again"});
  };
  const auto measured = [&](const char* name, const auto& look) {
    const Json& list = record.at(name);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].at("kind") == "measured") look(list[i], Pointer() / name / i);
    }
  };
  measured("values", [&](const Json& value, const Pointer& at) { check(value, "value", value.at("unit"), at); });
  measured("series", [&](const Json& series, const Pointer& at) {
    const Json& points = series.at("points");
    for (std::size_t i = 0; i < points.size(); ++i)
      check(points[i], "median", series.at("y").at("unit"), at / "points" / i);
  });
}

// What the system took away from the cores while the lab measured.
void check_limits(const Json& record, std::vector<Problem>& problems) {
  const Json& machine = record.at("machine");
  const double cores = machine.at("cores").get<double>();
  if (const double quota = machine.value("cpu_quota", cores); quota < cores) {
    problems.push_back({"/machine/cpu_quota",
                        "expected at least its " + exact(cores) + " cores for publication, not " + exact(quota),
                        "measure without the control group's quota, or on fewer cores (taskset)"});
  }
  if (const double seconds = record.at("run").value("throttled_seconds", 0.0); seconds > 0) {
    problems.push_back({"/run/throttled_seconds", "expected 0 for publication, not " + exact(seconds),
                        "measure without the control group's quota"});
  }
  // A laptop's cores are often slowed for milliseconds. Even if all of that fell into one of some 20 steps, 1% of the run
  // would be 20% of that step's samples, which moves no median. A count alone says nothing about the time.
  constexpr double tolerated_share = 0.01;
  const double run_seconds = record.at("run").at("seconds").get<double>();
  if (const double hot = record.at("run").value("thermal_seconds", 0.0); hot > tolerated_share * run_seconds) {
    problems.push_back(
        {"/run/thermal_seconds",
         "expected at most 1% of the run's " + exact(run_seconds) + " s for publication, not " + exact(hot),
         "let the machine cool down, and measure again"});
  }
}

}  // namespace

std::vector<Problem> check_publishable(const Json& record) {
  if (is_browsers(record)) {
    return {{"/machine/slug",
             "expected a machine, not a browser on it, which hides wide vectors, pages and most of the lab",
             "measure it with make lab-01, then publish that"}};
  }
  const Json& run = record.at("run");
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
  check_build(record, problems);
  check_contents(record, problems);
  check_speeds(record, problems);
  check_limits(record, problems);
  return problems;
}

Json load_record(const std::filesystem::path& file, const std::filesystem::path& labs) {
  Json record = load_json(file);
  const auto problems = check(record, this_identity(), labs);
  if (!problems.empty()) throw FileError(line(file.string(), problems.front()));
  return record;
}

}  // namespace hf
