// record-power [RESAMPLES [TEXT]]: how often each law, or each that contains TEXT, refuses an honest record, and how many forgeries
// it catches.
//   cmake --build build --target record-power && build/bin/record-power
// Exit status 1 if a law may refuse an honest record in more than 1 of 10,000 runs, with 95% confidence.
//
// An honest record is a published one, measured again on a worse host. For every law of its lab:
// - Each number that depends on the host gets as many samples as it had, drawn from them with replacement. If it has
//   fewer than 8, outliers beyond 1.5 times the median are not drawn, because they would be 1 sample in 7 or more.
// - 1 sample in 20 is slow, by a Pareto factor with exponent 2: 1.3% of all take more than 2 times as long, and 0.6%
//   more than 3 times. Of the 469,069 samples in all records ever published, 0.6% and 0.2% do.
// - All samples of a number share another factor, as if the host had changed since the last number: exp(2fz), where f
//   is the record's noise floor and z is normal. 95% of repeated samplings differ by less than the floor, so this
//   deviation is 4 times the observed one. At floors of 2% to 4%, it is as large as between runs that are weeks apart:
//   45 published peaks of two cores of one model deviate by 6%.
// - 1 point in 500 of a series that may not fall or rise is delayed: all of its samples, which are taken one after the
//   other, are slow by the same Pareto factor. Among the 1,456 points of such series ever published, none is more than
//   10% above a later one, so at most 1 in 500 is delayed by that much, with 95% confidence. Speeds and their limits
//   have samples from rounds, which share their disturbances.
// - A measured number without samples was derived from others: it only has that common factor.
// - A number that a law defines is computed from the new numbers, as in a lab: from pairs of samples if it had samples,
//   or from medians. A modelled number limited by measured ones is computed from these, and changes with them.
//
// This model was revised four times after its rates of refusal had been seen, and all but one of these changes made
// refusal rarer. It assumes that samples are taken in rounds, and published records have passed the laws: both make the
// rates look lower.
//
// All published records come from virtual machines, which the laws give 75% more for memory: these tests cannot show
// whether the slack of a physical machine is right.
//
// A forgery changes one number of a published record, with its samples: it is multiplied by a factor, exchanged with
// another in the same unit, removed, replaced by an invented one within a factor of 10, or given (with its series)
// another unit. A law that accepts the original record catches the forgery if it refuses it. The last line forges any
// number of any record, whether or not a law is about it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/samples.hpp"
#include "record/law.hpp"
#include "record/record.hpp"
#include "speed_laws.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;
using Pointer = Json::json_pointer;
using Random = std::mt19937_64;

constexpr double kGoal = 1e-4;
constexpr double kWorse = 2;               // how many times the noise floor
constexpr double kSlowSamples = 1.0 / 20;  // the share of samples that are slow
constexpr double kHeldUp = 1.0 / 500;      // the share of numbers that are held up
constexpr std::size_t kFew = 8;            // too few samples to tell how many are outliers
constexpr double kOutlier = 1.5;           // times the median
constexpr int kForgeries = 200;            // of each kind, for each law and record

struct Interval {
  double low, middle, high;
};

// A value or a point of a record.
struct Number {
  std::string series, name;  // its series, empty for a value; its id, or "series[row]"
  std::string unit;
  Pointer at;
  const char* median;
  double noise;  // 0 if it does not depend on the host
  bool measured, sampled;
  std::vector<double> samples;  // one at least
  Interval is;
};

Number number(const Json& item, const char* median, const Json& owner, const std::string& unit, double noise) {
  Number number;
  number.median = median;
  number.unit = unit;
  const double middle = item.at(median);
  number.is = {item.value("low", middle), middle, item.value("high", middle)};
  number.measured = owner.at("kind") == "measured";
  number.noise = depends_on_host(owner.at("kind").get<std::string>(), unit, middle) ? noise : 0;
  number.sampled = item.contains("samples");
  number.samples = item.value("samples", std::vector<double>{middle});
  return number;
}

std::vector<Number> numbers(const Json& record) {
  const double noise = record.at("/run/noise_floor"_json_pointer);
  std::vector<Number> all;
  const Json& values = record.at("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    all.push_back(number(values[i], "value", values[i], values[i].at("unit"), noise));
    all.back().name = values[i].at("id");
    all.back().at = Pointer("/values") / i;
  }
  const Json& series = record.at("series");
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Json& points = series[i].at("points");
    for (std::size_t j = 0; j < points.size(); ++j) {
      all.push_back(number(points[j], "median", series[i], series[i].at("y").at("unit"), noise));
      all.back().series = series[i].at("id");
      all.back().name = all.back().series + '[' + row_of(points[j]) + ']';
      all.back().at = Pointer("/series") / i / "points" / j;
    }
  }
  return all;
}

bool is_subject(const Law& law, const Number& number) {
  const bool value = number.series.empty();
  if (law.any) return value && number.unit == law.subject;
  if (law.subject.find('[') != std::string::npos) return !value && matches(law.subject, number.name);
  if (law.kind == Law::Kind::equal) return number.name == law.subject;
  return value ? law.kind == Law::Kind::at_most && matches(law.subject, number.name)
               : matches(law.subject, number.series);
}

bool is_limit(const Law& law, const Number& number) {
  if (!law.highest.empty()) return number.series.empty() && matches(law.highest, number.name);
  return std::ranges::any_of(law.product, [&](const Law::Factor& factor) {
    return factor.id.ends_with("[*]") ? matches(factor.id, number.name) : factor.id == number.name;
  });
}

// A law's condition on one record, reduced to the numbers that it uses, so that it can be evaluated a million times.
struct Case {
  const Law& law;
  Json record;                      // without samples
  std::vector<Number> numbers;      // with them
  std::vector<std::size_t> origin;  // the position of each among all numbers of the record

  bool broken(const Json& changed) const { return !check_laws(changed, {}).empty(); }
  bool has_subject() const {
    return std::ranges::any_of(numbers, [&](const Number& each) { return is_subject(law, each); });
  }
  bool noisy() const {
    return law.kind != Law::Kind::in_units &&
           std::ranges::any_of(numbers, [](const Number& each) { return each.noise > 0 || each.samples.size() > 1; });
  }
};

Case make_case(const Law& law, const Json& record, const std::vector<Number>& all) {
  Case made{law, {{"run", record.at("run")}, {"machine", record.at("machine")}, {"laws", {law.text}}}, {}, {}};
  made.record["lab"] = {{"id", record.at("lab").at("id")}, {"inputs", Json::object()}};
  made.record["values"] = made.record["series"] = Json::array();
  std::string last;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Number number = all[i];
    if (!is_subject(law, number) && !is_limit(law, number)) continue;
    Json item = record.at(number.at);
    item.erase("samples");
    Json& series = made.record["series"];
    if (number.series.empty()) {
      number.at = Pointer("/values") / made.record["values"].size();
      made.record["values"].push_back(item);
    } else {
      if (number.series != last) {
        series.push_back(record.at(number.at.parent_pointer().parent_pointer()));
        series.back()["points"] = Json::array();
      }
      last = number.series;
      number.at = Pointer("/series") / (series.size() - 1) / "points" / series.back()["points"].size();
      series.back()["points"].push_back(item);
    }
    made.numbers.push_back(number);
    made.origin.push_back(i);
  }
  return made;
}

void put(Json& record, const Number& number, const Interval& is) {
  Json& item = record.at(number.at);
  item[number.median] = is.middle;
  item["low"] = is.low;
  item["high"] = is.high;
}

// Measures the numbers of a case again, on a worse host.
class Host {
 public:
  Host(const Case& given, Random& random) : case_(given), random_(random) {
    for (const Number& each : case_.numbers) {  // numbers with the same samples were measured once
      const auto first = std::ranges::find(case_.numbers, each.samples, &Number::samples);
      const bool shared = each.samples.size() > 1;
      same_.push_back(static_cast<std::size_t>(shared ? first - case_.numbers.begin() : &each - case_.numbers.data()));
    }
    drawn_.resize(same_.size());
  }

  Json measure() {
    const std::vector<Number>& numbers = case_.numbers;
    const Law& law = case_.law;
    Json record = case_.record;
    for (std::size_t i = 0; i < numbers.size(); ++i) drawn_[i] = same_[i] == i ? draw(numbers[i]) : drawn_[same_[i]];
    for (std::size_t i = 0; law.kind == Law::Kind::equal && i < numbers.size(); ++i) {
      if (is_subject(law, numbers[i])) drawn_[i] = defined(i);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (drawn_[i] != numbers[i].samples) put(record, numbers[i], interval(drawn_[i]));
    }
    if (law.kind == Law::Kind::at_most) move_modelled(record);
    return record;
  }

 private:
  using Samples = std::vector<double>;

  static Interval interval(const Samples& samples) {
    return {quantile(samples, 0.05), quantile(samples, 0.5), quantile(samples, 0.95)};
  }

  double share() { return std::uniform_real_distribution<double>()(random_); }
  double pareto() { return 1 / std::sqrt(1 - share()); }
  double shift(double noise) { return std::exp(kWorse * noise * std::normal_distribution<double>()(random_)); }

  static Samples without_outliers(const Number& number) {
    Samples samples = number.samples;
    std::erase_if(samples, [&](double sample) {
      return sample > kOutlier * number.is.middle || sample * kOutlier < number.is.middle;
    });
    return samples.empty() ? number.samples : samples;
  }

  static bool is_ratio(const Number& number) { return number.unit == "1" || number.unit == "%"; }

  // The factor for a number in that unit when it takes `factor` as much time.
  double slowed(const Number& number, double factor) {
    static const std::set<std::string> times = {"ns", "us", "ms", "s", "cycles"};
    return times.contains(number.unit) || (is_ratio(number) && share() < 0.5) ? factor : 1 / factor;
  }

  Samples draw(const Number& number) {
    if (number.samples.size() == 1 && number.noise == 0) return number.samples;
    Samples samples(number.samples.size());
    const Samples from = number.noise > 0 && samples.size() < kFew ? without_outliers(number) : number.samples;
    std::uniform_int_distribution<std::size_t> pick(0, from.size() - 1);
    for (double& sample : samples) sample = from[pick(random_)];
    if (number.noise == 0) return samples;
    if (!number.sampled) return {samples[0] * shift(number.noise)};
    double all = shift(number.noise);
    const bool ordered = case_.law.kind == Law::Kind::never_falls || case_.law.kind == Law::Kind::never_rises;
    if (ordered && share() < kHeldUp) all *= slowed(number, pareto());
    for (double& sample : samples) {
      sample *= all;
      if (share() < kSlowSamples) sample *= slowed(number, pareto());
    }
    return samples;
  }

  // The law's verdict on the drawn numbers, together with the rest of the published record.
  Samples defined(std::size_t subject) const {
    const Number& number = case_.numbers[subject];
    const std::string row = number.name.substr(std::min(number.name.find('['), number.name.size()));
    const auto made = [&](auto number_of) -> std::optional<double> {
      const auto value = case_.law.value([&](const std::string& id) -> std::optional<hf::Interval> {
        const std::string name = id.ends_with("[*]") ? id.substr(0, id.size() - 3) + row : id;
        const auto found = std::ranges::find(case_.numbers, name, &Number::name);
        if (found == case_.numbers.end()) return std::nullopt;
        const double part = number_of(static_cast<std::size_t>(found - case_.numbers.begin()));
        return hf::Interval{part, part, part};
      });
      return value ? std::optional(value->median) : std::nullopt;
    };
    const auto before = made([&](std::size_t i) { return case_.numbers[i].is.middle; });
    if (!before) return drawn_[subject];
    const std::size_t count = number.samples.size();
    const auto paired = [&](std::size_t i) { return drawn_[i].size() == count || drawn_[i].size() == 1; };
    bool pairs = true;
    made([&](std::size_t i) { return (pairs = pairs && paired(i)), 1.0; });
    Samples samples;
    for (std::size_t k = 0; k < (pairs ? count : 1); ++k) {
      const auto after = made([&](std::size_t i) {
        if (!pairs) return quantile(drawn_[i], 0.5);
        return drawn_[i].size() == 1 ? drawn_[i][0] : drawn_[i][k];
      });
      samples.push_back(number.is.middle / *before * *after);
    }
    return samples;
  }

  std::optional<double> limit(const Json& record) const {
    std::optional<double> highest;
    if (case_.law.highest.empty()) {
      const auto value = case_.law.value([&](const std::string& id) -> std::optional<hf::Interval> {
        const auto found = number_at(record, id);
        return found ? std::optional(found->interval) : std::nullopt;
      });
      return value ? std::optional(value->median) : std::nullopt;
    }
    for (const Number& each : case_.numbers) {
      if (!is_limit(case_.law, each)) continue;
      highest = std::max(highest.value_or(0), record.at(each.at).at(each.median).get<double>());
    }
    return highest;
  }

  void move_modelled(Json& record) const {
    const auto before = limit(case_.record), after = limit(record);
    if (!before || *before == *after) return;
    const double moved = *after / *before;
    for (const Number& each : case_.numbers) {
      if (each.measured || !is_subject(case_.law, each)) continue;
      put(record, each, {each.is.low * moved, each.is.middle * moved, each.is.high * moved});
    }
  }

  const Case& case_;
  Random& random_;
  std::vector<std::size_t> same_;  // for each number, the first one with its samples
  std::vector<Samples> drawn_;
};

// The probability at which so few refusals, or fewer, occur in 1 of 20 experiments: the upper bound of Clopper and
// Pearson.
double upper_bound(std::size_t refused, std::size_t of) {
  const auto n = static_cast<double>(of);
  const auto at_most_refused = [&](double p) {
    double sum = 0;
    for (std::size_t k = 0; k <= refused; ++k) {
      const auto x = static_cast<double>(k);
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) +
                      (n - x) * std::log1p(-p));
    }
    return sum;
  };
  if (refused >= of) return 1;
  double low = static_cast<double>(refused) / n, high = 1;
  for (int i = 0; i < 60; ++i) (at_most_refused((low + high) / 2) > 0.05 ? low : high) = (low + high) / 2;
  return high;
}

// What a forged record has in place of a number, or nothing.
struct Forged {
  Interval is;
  std::string unit;
};

using Forgery = std::map<std::size_t, std::optional<Forged>>;

struct Kind {
  const char* name;
  double factor;  // 0 where it is none
};

constexpr std::array kKinds = {Kind{"x0.1", 0.1}, Kind{"x0.5", 0.5}, Kind{"x0.8", 0.8}, Kind{"x1.25", 1.25},
                               Kind{"x2", 2},     Kind{"x10", 10},   Kind{"swap", 0},   Kind{"drop", 0},
                               Kind{"invent", 0}, Kind{"unit", 0}};

// One or two forged numbers; empty if no other number fits.
std::optional<Forgery> forge(const Kind& kind, const std::vector<Number>& all, std::size_t i, Random& random) {
  const auto& [low, middle, high] = all[i].is;
  const std::string name = kind.name, unit = all[i].unit;
  if (name == "drop") return Forgery{{i, std::nullopt}};
  if (name == "invent") {
    const double invented = middle * std::pow(10, std::uniform_real_distribution<double>(-1, 1)(random));
    return Forgery{{i, Forged{{invented, invented, invented}, unit}}};
  }
  if (kind.factor > 0) return Forgery{{i, Forged{{low * kind.factor, middle * kind.factor, high * kind.factor}, unit}}};
  std::vector<std::size_t> others;
  for (std::size_t j = 0; j < all.size(); ++j) {
    const bool same_unit = all[j].unit == unit;
    if (name == "swap" ? same_unit && all[j].is.middle != middle : !same_unit) others.push_back(j);
  }
  if (others.empty()) return std::nullopt;
  const std::size_t other = others[std::uniform_int_distribution<std::size_t>(0, others.size() - 1)(random)];
  if (name == "unit") return Forgery{{i, Forged{all[i].is, all[other].unit}}};
  return Forgery{{i, Forged{all[other].is, unit}}, {other, Forged{all[i].is, unit}}};
}

void drop(Json& record, const Number& number) {
  Json& list = record.at(number.at.parent_pointer());
  list.erase(std::stoul(number.at.back()));
  if (list.empty() && !number.series.empty())
    record["series"].erase(std::stoul(number.at.parent_pointer().parent_pointer().back()));
}

void replace(Json& record, const Number& number, const Forged& forged) {
  put(record, number, forged.is);
  const bool value = number.series.empty();
  (value ? record.at(number.at)["unit"] : record.at(number.at.parent_pointer().parent_pointer())["y"]["unit"]) =
      forged.unit;
}

bool catches(const Case& given, const Forgery& forgery) {
  Json record = given.record;
  bool touched = false;
  for (std::size_t i = 0; i < given.numbers.size(); ++i) {
    const auto found = forgery.find(given.origin[i]);
    if (found == forgery.end()) continue;
    touched = true;
    found->second ? replace(record, given.numbers[i], *found->second) : drop(record, given.numbers[i]);
  }
  return touched && given.broken(record);
}

// The number of refused records, of how many.
struct Count {
  std::size_t refused = 0, of = 0;
};

struct Row {
  std::string lab, law;
  std::size_t records = 0;
  bool noisy = false;  // otherwise its verdict on an honest record never changes
  Count honest = {};
  std::array<Count, kKinds.size()> forged = {};
};

using Rows = std::map<std::string, Row>;  // by lab and law

void measure_honest(const Case& given, std::size_t runs, Row& row, Random& random) {
  Host host(given, random);
  for (std::size_t i = 0; i < runs; ++i) row.honest.refused += given.broken(host.measure());
  row.honest.of += runs;
}

void measure_forged(const Case& given, const std::vector<Number>& all, Row& row, Random& random) {
  if (given.broken(given.record)) return;
  std::uniform_int_distribution<std::size_t> pick(0, given.origin.size() - 1);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    for (int i = 0; i < kForgeries; ++i) {
      const auto forgery = forge(kKinds[kind], all, given.origin[pick(random)], random);
      if (!forgery) continue;
      row.forged[kind].of += 1;
      row.forged[kind].refused += catches(given, *forgery);
    }
  }
}

void measure_all_laws(const std::vector<Case>& cases, const std::vector<Number>& all, Row& row, Random& random) {
  std::uniform_int_distribution<std::size_t> pick(0, all.size() - 1);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    for (int i = 0; i < kForgeries; ++i) {
      const auto forgery = forge(kKinds[kind], all, pick(random), random);
      if (!forgery) continue;
      row.forged[kind].of += 1;
      row.forged[kind].refused += std::ranges::any_of(cases, [&](const Case& each) { return catches(each, *forgery); });
    }
  }
}

void print(const Row& row) {
  char honest[40] = "";
  if (row.noisy) {
    std::snprintf(honest, sizeof honest, "%zu/%zu < %.1e", row.honest.refused, row.honest.of,
                  upper_bound(row.honest.refused, row.honest.of));
  }
  std::printf("%-12.12s %-86.86s %2zu  %-20s", row.lab.c_str(), row.law.c_str(), row.records,
              row.noisy           ? honest
              : row.honest.of > 0 ? "0"
                                  : "");
  for (const Count& each : row.forged) {
    if (each.of > 0) std::printf(" %5.0f%%", 100.0 * static_cast<double>(each.refused) / static_cast<double>(each.of));
    if (each.of == 0) std::printf("     --");
  }
  std::printf("\n");
}

// The published records of machines, by lab.
std::map<std::string, std::vector<Json>> published(const fs::path& tree) {
  std::vector<fs::path> files;
  for (const auto& each : fs::recursive_directory_iterator(tree / "figures" / "records")) {
    if (each.path().extension() == ".json") files.push_back(each.path());
  }
  std::ranges::sort(files);
  std::map<std::string, std::vector<Json>> records;
  for (const fs::path& file : files) {
    const Json record = load_record(file);
    records[record.at("/lab/id"_json_pointer)].push_back(record);
  }
  return records;
}

// The verdicts of one lab's laws on its records.
struct Trial {
  std::vector<Json> records;
  std::vector<Law> laws;
  std::vector<std::vector<Number>> numbers;  // of each record
  std::vector<std::vector<Case>> cases;      // of each record, one for each law
};

Trial prepare(const fs::path& tree, const std::string& lab, const std::vector<Json>& records) {
  Trial trial{records, load_laws(tree / "labs", lab), {}, {}};
  for (const Law& definition : load_definitions(tree / "labs", lab)) trial.laws.push_back(definition);
  for (const Json& record : records) {
    trial.numbers.push_back(numbers(record));
    trial.cases.emplace_back();
    for (const Law& law : trial.laws) trial.cases.back().push_back(make_case(law, record, trial.numbers.back()));
  }
  return trial;
}

Row measure_law(const std::string& lab, const Trial& trial, std::size_t law, std::size_t runs) {
  Random random(law);
  Row row{lab, trial.laws[law].text};
  std::vector<std::size_t> about;  // records to which the law applies
  for (std::size_t j = 0; j < trial.records.size(); ++j) {
    if (trial.cases[j][law].has_subject()) about.push_back(j);
  }
  row.records = about.size();
  for (const std::size_t j : about) {
    const Case& given = trial.cases[j][law];
    row.noisy = row.noisy || given.noisy();
    measure_honest(given, given.noisy() ? runs / about.size() + 1 : 1, row, random);
    measure_forged(given, trial.numbers[j], row, random);
  }
  return row;
}

int measure_laws(std::size_t runs, const std::string& text) {
  const fs::path tree = HARDWARE_FIRST_SOURCE;
  std::printf("%-12s %-86s %2s  %-20s", "lab", "law", "of", "honest: refused");
  for (const Kind& kind : kKinds) std::printf(" %6s", kind.name);
  std::printf("\n");
  Row every{"all", "all laws, of any number"};
  bool good = true;
  for (const auto& [lab, records] : published(tree)) {
    const Trial trial = prepare(tree, lab, records);
    std::vector<std::future<Row>> rows;
    for (std::size_t law = 0; law < trial.laws.size(); ++law) {
      if (trial.laws[law].text.find(text) == std::string::npos) continue;
      rows.push_back(std::async(std::launch::async, measure_law, lab, std::cref(trial), law, runs));
    }
    for (auto& each : rows) {
      const Row row = each.get();
      print(row);
      good = good && (!row.noisy || upper_bound(row.honest.refused, row.honest.of) < kGoal);
    }
    Random random(trial.laws.size());
    for (std::size_t j = 0; text.empty() && j < records.size(); ++j)
      measure_all_laws(trial.cases[j], trial.numbers[j], every, random);
    every.records += records.size();
    std::fflush(stdout);
  }
  if (text.empty()) print(every);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace hf

int main(int argc, char** argv) {
  try {
    return hf::measure_laws(argc > 1 ? std::stoul(argv[1]) : 100000, argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
