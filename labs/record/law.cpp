#include "law.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "record.hpp"
#include "schema.hpp"

namespace hf {
namespace {

constexpr std::size_t kMostLawBytes = 200;
constexpr std::size_t kMostFactors = 8;

// True for a name of values, series or rows, such as "speedup[q4_0]".
bool is_name(const std::string& address) {
  std::string word = address;
  if (const auto bracket = word.find('['); bracket != std::string::npos && word.ends_with(']')) {
    word.pop_back();
    word[bracket] = '_';
  }
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '*'; };
  return !word.empty() && (word[0] < '0' || word[0] > '9') && std::all_of(word.begin(), word.end(), fits);
}

// True for a name of one number, or of one per row: a star may only replace the row.
bool is_id(const std::string& word) {
  return is_name(word) && word.substr(0, word.find("[*]")).find('*') == std::string::npos;
}

std::optional<double> positive_number(const std::string& word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool whole = error == std::errc() && end == word.data() + word.size();
  return whole && std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

// The words of a law, taken one by one.
class Words {
 public:
  explicit Words(const std::string& text) {
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ' ');) words_.push_back(word);
    if (text.ends_with(' ')) words_.push_back("");
  }

  bool done() const { return next_ == words_.size(); }
  std::string peek() const { return done() ? "" : words_[next_]; }

  std::string take(const std::string& expected, bool (*fits)(const std::string&)) {
    if (done() || !fits(words_[next_])) refuse(expected);
    return words_[next_++];
  }

  std::string take_any_of(const std::vector<std::string>& choices) {
    std::string all;
    for (const std::string& each : choices) all += (all.empty() ? "" : " or ") + each;
    if (done() || std::find(choices.begin(), choices.end(), words_[next_]) == choices.end()) refuse(all);
    return words_[next_++];
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string found = done() ? "the end" : '"' + words_[next_] + '"';
    throw BadLaw("expected " + expected + (next_ == 0 ? "" : " after \"" + words_[next_ - 1] + '"') + ", not " + found);
  }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

bool is_unit(const std::string& word) { return !word.empty(); }
bool is_factor(const std::string& word) { return is_id(word) || positive_number(word).has_value(); }

std::vector<Law::Factor> product(Words& words) {
  std::vector<Law::Factor> factors;
  bool divides = false;
  while (true) {
    const std::string word = words.take("a value's id or a positive number", is_factor);
    const auto number = positive_number(word);
    factors.push_back({divides, number ? "" : word, number.value_or(1)});
    if (words.done() || words.peek() == "in") return factors;
    if (factors.size() == kMostFactors) words.refuse("at most " + std::to_string(kMostFactors) + " factors");
    divides = words.take_any_of({"*", "/"}) == "/";
  }
}

std::vector<std::string> units(Words& words) {
  std::vector<std::string> all = {words.take("a unit", is_unit)};
  while (!words.done()) {
    words.take_any_of({"or"});
    all.push_back(words.take("a unit", is_unit));
  }
  return all;
}

Law limit(Law law, Words& words) {
  law.kind = Law::Kind::at_most;
  if (words.peek() == "highest") {
    words.take_any_of({"highest"});
    law.highest = words.take("a name of values", is_name);
  } else {
    law.product = product(words);
  }
  return law;
}

using Pointer = Json::json_pointer;

constexpr double kArithmeticSlack = 0.10;
constexpr double kMemorySlack = 0.25;
constexpr double kOtherGuestsSlack = 0.75;
constexpr double kNoiseFloors = 12;
constexpr double kMostNoise = 0.50;
constexpr double kRestlessSlack = 0.25;
constexpr std::size_t kMostLaws = 100;

// The subject of a law: the one number of a value or of a row, or the points of a series.
struct Quantity {
  enum class Kind { value, row, series };

  std::string id, unit;
  Pointer at;
  Kind kind;
  std::vector<Interval> numbers;

  Pointer number_at(std::size_t i) const {
    if (kind == Kind::series) return at / "points" / i / "median";
    return at / (kind == Kind::row ? "median" : "value");
  }
};

std::vector<Quantity> quantities(const Json& record) {
  std::vector<Quantity> all;
  const Json& values = record.at("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    all.push_back({values[i].at("id"),
                   values[i].at("unit"),
                   Pointer("/values") / i,
                   Quantity::Kind::value,
                   {interval(values[i], "value")}});
  }
  const Json& series = record.at("series");
  for (std::size_t i = 0; i < series.size(); ++i) {
    all.push_back(
        {series[i].at("id"), series[i].at("/y/unit"_json_pointer), Pointer("/series") / i, Quantity::Kind::series, {}});
    for (const Json& point : series[i].at("points")) all.back().numbers.push_back(interval(point, "median"));
  }
  return all;
}

std::vector<Quantity> rows(const Json& record) {
  std::vector<Quantity> all;
  const Json& series = record.at("series");
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Json& points = series[i].at("points");
    for (std::size_t j = 0; j < points.size(); ++j) {
      all.push_back({series[i].at("id").get<std::string>() + '[' + row_of(points[j]) + ']',
                     series[i].at("/y/unit"_json_pointer),
                     Pointer("/series") / i / "points" / j,
                     Quantity::Kind::row,
                     {interval(points[j], "median")}});
    }
  }
  return all;
}

bool is_of_memory(const std::string& unit) {
  static const std::set<std::string> units = {"GB/s", "TB/s", "ns", "us", "ms", "s", "cycles"};
  return units.contains(unit);
}

class Court {
 public:
  explicit Court(const Json& record) : quantities_(quantities(record)), rows_(rows(record)) {
    const Json& run = record.at("run");
    noise_ = std::min(kNoiseFloors * run.at("noise_floor").get<double>(), kMostNoise);
    const bool quiet = run.at("quiet").get<bool>();
    if (run.at("budget") == "quick" || !quiet) noise_ += kRestlessSlack;
    const bool virtualised = record.at("machine").at("virtualised").get<bool>();
    if (virtualised) memory_slack_ += kOtherGuestsSlack;
    forgiven_ = quiet && !virtualised ? 0 : 1;
    // An emulator's speed depends on how it translated a loop: a kernel may well run faster than the peak.
    emulated_ = record.at("machine").value("emulated", false);
  }

  void hold_to(const Law& law) {
    if (emulated_ && law.kind != Law::Kind::in_units) return;
    switch (law.kind) {
      case Law::Kind::equal: return follows(law);
      case Law::Kind::at_most: return is_at_most(law);
      case Law::Kind::never_falls:
      case Law::Kind::never_rises: return keeps_its_direction(law);
      case Law::Kind::in_units: return units_are_allowed(law);
    }
  }

  std::vector<Problem> problems() const { return problems_; }

 private:
  void report(const Pointer& at, const std::string& expected) {
    problems_.push_back({at.to_string(), "expected " + expected, "run the lab again on a quiet machine"});
  }

  // The quantities that a name may match.
  const std::vector<Quantity>& all_like(const std::string& name) const {
    return name.find('[') == std::string::npos ? quantities_ : rows_;
  }

  const Quantity* value(const std::string& id) const {
    const std::vector<Quantity>& all = all_like(id);
    const auto is_it = [&](const Quantity& each) { return each.kind != Quantity::Kind::series && each.id == id; };
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    return found == all.end() ? nullptr : &*found;
  }

  // True if `smaller` is above `larger` by more than noise explains.
  bool exceeds(const Interval& smaller, const Interval& larger, double slack) const {
    return smaller.low > larger.high * (1 + slack + noise_);
  }

  // The range of a product, given its values' intervals. `row` replaces "[*]": "[q4_0]".
  std::optional<Interval> range(const Law& law, const std::string& row = "") const {
    return law.value([&](const std::string& id) -> std::optional<Interval> {
      const Quantity* found = value(id.ends_with("[*]") ? id.substr(0, id.size() - 3) + row : id);
      return found ? std::optional(found->numbers[0]) : std::nullopt;
    });
  }

  void units_are_allowed(const Law& law) {
    std::string wanted;
    for (const std::string& unit : law.units) wanted += (wanted.empty() ? "" : " or ") + unit;
    for (const Quantity& each : quantities_) {
      if (each.kind != Quantity::Kind::series || !law.concerns(each.id)) continue;
      if (std::find(law.units.begin(), law.units.end(), each.unit) != law.units.end()) continue;
      report(each.at / "y" / "unit", "unit " + wanted + " for " + each.id + ", not " + each.unit);
    }
  }

  void follows(const Law& law) {
    for (const Quantity& each : all_like(law.subject)) {
      if (each.kind == Quantity::Kind::series || !law.concerns(each.id)) continue;
      const auto expected = range(law, each.id.substr(std::min(each.id.find('['), each.id.size())));
      if (!expected) continue;
      const Interval& actual = each.numbers[0];
      if (!exceeds(actual, *expected, kArithmeticSlack) && !exceeds(*expected, actual, kArithmeticSlack)) continue;
      report(each.number_at(0),
             "about " + digits(expected->median) + ", " + law.right_side() + ", not " + digits(actual.median));
    }
  }

  // The limit that a law sets, with its unit if it is a single value's.
  struct Limit {
    Interval number;
    std::string unit;
  };

  std::optional<Limit> limit(const Law& law) const {
    if (law.highest.empty()) {
      const auto number = range(law);
      if (!number) return std::nullopt;
      const bool one_value = law.product.size() == 1 && !law.product[0].id.empty();
      return Limit{*number, one_value ? value(law.product[0].id)->unit : ""};
    }
    std::optional<Limit> highest;
    for (const Quantity& each : quantities_) {
      if (each.kind == Quantity::Kind::series || !matches(law.highest, each.id)) continue;
      if (!highest || each.numbers[0].high > highest->number.high) highest = Limit{each.numbers[0], each.unit};
    }
    return highest;
  }

  void is_at_most(const Law& law) {
    const auto most = limit(law);
    if (!most) return;
    for (const Quantity& each : all_like(law.subject)) {
      if (law.any ? each.kind == Quantity::Kind::series || each.unit != law.subject : !law.concerns(each.id)) continue;
      if (!most->unit.empty() && most->unit != each.unit) {
        report(each.at, "unit " + most->unit + ", as of " + law.right_side() + ", not " + each.unit);
        continue;
      }
      const double slack = is_of_memory(each.unit) ? memory_slack_ : kArithmeticSlack;
      const bool plain = law.right_side() == digits(most->number.median);  // a number, as written
      const std::string wanted = (plain ? "" : law.right_side() + ", ") + digits(most->number.median) + " " + each.unit;
      for (std::size_t i = 0; i < each.numbers.size(); ++i) {
        if (!exceeds(each.numbers[i], most->number, slack)) continue;
        report(each.number_at(i), "at most " + wanted + ", not " + digits(each.numbers[i].median));
      }
    }
  }

  // Checks that no interval lies wholly beyond an earlier one: compares each point of a series with the most extreme
  // before it, or with the next most extreme if one point is forgiven.
  void keeps_its_direction(const Law& law) {
    const bool rises = law.kind == Law::Kind::never_falls;
    const auto is_more_extreme = [&](const Interval& a, const Interval& b) {
      return rises ? a.low > b.low : a.high < b.high;
    };
    for (const Quantity& each : quantities_) {
      if (each.kind != Quantity::Kind::series || !law.concerns(each.id)) continue;
      const double slack = is_of_memory(each.unit) ? memory_slack_ : kArithmeticSlack;
      std::vector<Interval> extremes;  // the most extreme first
      for (std::size_t i = 0; i < each.numbers.size(); ++i) {
        const Interval& now = each.numbers[i];
        if (extremes.size() > forgiven_) {
          const Interval& before = extremes[forgiven_];
          if (rises ? exceeds(before, now, slack) : exceeds(now, before, slack)) {
            report(each.number_at(i), (rises ? "at least " : "at most ") + digits(before.median) + ", as " + each.id +
                                          law.text.substr(law.subject.size()) + ", not " + digits(now.median));
          }
        }
        extremes.insert(std::upper_bound(extremes.begin(), extremes.end(), now, is_more_extreme), now);
        extremes.resize(std::min(extremes.size(), forgiven_ + 1));
      }
    }
  }

  std::vector<Quantity> quantities_, rows_;
  double noise_ = 0;
  double memory_slack_ = kMemorySlack;
  std::size_t forgiven_ = 0;  // number of points that other processes may have delayed
  bool emulated_ = false;
  std::vector<Problem> problems_;
};

// The line of `text` that contains the string `law` of a list.
std::size_t line_of(std::string_view text, const std::string& law) {
  const auto at = std::min(text.find(Json(law).dump()), text.size());
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::vector<Law> parse_list(std::string_view text, const std::string& name, void (*check)(const Law&)) {
  const Json list = parse_json(text, name);
  const auto is_text = [](const Json& each) { return each.is_string(); };
  if (!list.is_array() || list.size() > kMostLaws || !std::all_of(list.begin(), list.end(), is_text)) {
    throw FileError(name + ": expected a list of at most " + std::to_string(kMostLaws) +
                    " laws, each a text; correct it");
  }
  std::vector<Law> laws;
  std::set<std::string> seen;
  for (const std::string each : list) {
    const std::string where = name + ":" + std::to_string(line_of(text, each)) + ": ";
    if (!seen.insert(each).second) throw FileError(where + "expected each law once; remove " + printable(each));
    try {
      laws.push_back(parse_law(each));
      check(laws.back());
    } catch (const BadLaw& error) {
      throw FileError(where + printable(error.what()) + "; correct the law, see record/law.hpp");
    }
  }
  return laws;
}

std::vector<Law> load(const std::filesystem::path& labs, const std::string& id, const char* name,
                      std::vector<Law> (*parse)(std::string_view, const std::string&)) {
  const auto file = labs / id / name;
  if (labs.empty() || !std::filesystem::exists(file)) return {};
  return parse(read_file(file, kMostLawsBytes), file.string());
}

}  // namespace

Law parse_law(const std::string& text) {
  if (text.size() > kMostLawBytes) throw BadLaw("expected at most " + std::to_string(kMostLawBytes) + " bytes");
  Words words(text);
  Law law;
  law.text = text;
  if (words.peek() == "any") {
    law.any = true;
    words.take_any_of({"any"});
    law.subject = words.take("a unit", is_unit);
    words.take_any_of({"<="});
    law = limit(law, words);
  } else {
    law.subject = words.take("the name of a value or series", is_name);
    if (words.peek() == "except") {
      words.take_any_of({"except"});
      law.exception = words.take("the name of a value or series", is_name);
    }
    const std::string verb = words.take_any_of({"=", "<=", "never", "in"});
    if (verb == "=") {
      if (!is_id(law.subject)) throw BadLaw("expected one value before =, not " + law.subject);
      law.product = product(words);
      if (!words.done()) words.take_any_of({"in"});
      law.units = {words.done() ? "1" : words.take("a unit", is_unit)};
    } else if (verb == "<=") {
      law = limit(law, words);
    } else if (verb == "never") {
      law.kind = words.take_any_of({"falls", "rises"}) == "falls" ? Law::Kind::never_falls : Law::Kind::never_rises;
    } else {
      law.kind = Law::Kind::in_units;
      law.units = units(words);
    }
  }
  if (!words.done()) words.refuse("nothing more");
  return law;
}

std::optional<Interval> Law::value(
    const std::function<std::optional<Interval>(const std::string& id)>& value_of) const {
  Interval result = {1, 1, 1};
  for (const Factor& factor : product) {
    const auto number = factor.id.empty() ? Interval{factor.number, factor.number, factor.number} : value_of(factor.id);
    if (!number || (factor.divides && !(number->low > 0))) return std::nullopt;
    const auto combine = [&](double a, double b) { return factor.divides ? a / b : a * b; };
    result = {combine(result.low, factor.divides ? number->high : number->low), combine(result.median, number->median),
              combine(result.high, factor.divides ? number->low : number->high)};
  }
  return result;
}

bool Law::concerns(std::string_view id) const { return matches(subject, id) && !matches(exception, id); }

std::string Law::right_side() const {
  for (const std::string between : {" <= ", " = "}) {
    const auto at = text.find(between);
    if (at != std::string::npos) return text.substr(at + between.size(), text.rfind(" in ") - at - between.size());
  }
  return "";
}

// Matches each part between stars at its first place, which leaves the most for the parts after it.
bool matches(std::string_view name, std::string_view id) {
  const auto star = name.find('*');
  if (star == std::string_view::npos) return name == id;
  if (!id.starts_with(name.substr(0, star))) return false;
  id.remove_prefix(star);
  name.remove_prefix(star + 1);
  for (auto next = name.find('*'); next != std::string_view::npos; next = name.find('*')) {
    const auto at = id.find(name.substr(0, next));
    if (at == std::string_view::npos) return false;
    id.remove_prefix(at + next);
    name.remove_prefix(next + 1);
  }
  return id.size() >= name.size() && id.ends_with(name);
}

std::vector<Law> parse_laws(std::string_view text, const std::string& name) {
  return parse_list(text, name, [](const Law& law) {
    if (law.kind == Law::Kind::equal) throw BadLaw("expected no definition; move it to definitions.json");
  });
}

std::vector<Law> parse_definitions(std::string_view text, const std::string& name) {
  return parse_list(text, name, [](const Law& law) {
    if (law.kind != Law::Kind::equal) throw BadLaw("expected a definition, \"id = …\"; move it to laws.json");
    const std::string id = law.subject.substr(0, law.subject.find('[')), unit = law.units.front();
    if (!known_unit(unit)) {
      throw BadLaw("expected a unit such as 1, B, ns, GB/s or, in lower case, what is counted, not " + unit);
    }
    if (const std::string wanted = promised_unit(id, unit); !wanted.empty()) {
      throw BadLaw("expected unit " + wanted + ", to match the end of " + id + ", not " + unit);
    }
  });
}

std::vector<Law> load_laws(const std::filesystem::path& labs, const std::string& id) {
  return load(labs, id, "laws.json", parse_laws);
}

std::vector<Law> load_definitions(const std::filesystem::path& labs, const std::string& id) {
  return load(labs, id, "definitions.json", parse_definitions);
}

std::vector<Problem> check_laws(const Json& record, const std::filesystem::path& labs) {
  std::vector<Problem> problems;
  std::vector<Law> laws;
  std::set<std::string> known;
  const Json& carried = record.at("laws");
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Pointer at = Pointer("/laws") / i;
    try {
      if (!known.insert(carried[i]).second) throw BadLaw("expected each law once");
      laws.push_back(parse_law(carried[i]));
    } catch (const BadLaw& error) {
      problems.push_back({at.to_string(), error.what(), "run the lab again"});
    }
  }
  const auto& id = record.at("/lab/id"_json_pointer).get_ref<const std::string&>();
  for (const auto& present : {load_laws(labs, id), load_definitions(labs, id)}) {
    for (const Law& law : present) {
      if (known.insert(law.text).second) laws.push_back(law);
    }
  }
  Court court(record);
  for (const Law& law : laws) court.hold_to(law);
  for (const Problem& problem : court.problems()) problems.push_back(problem);
  return problems;
}

}  // namespace hf
