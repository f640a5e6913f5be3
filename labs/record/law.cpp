#include "law.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hf {
namespace {

constexpr std::size_t kMostBytes = 200;
constexpr std::size_t kMostFactors = 8;

// Of values or series; or of rows, as in "speedup[q4_0]".
bool is_name(const std::string& address) {
  std::string word = address;
  if (const auto bracket = word.find('['); bracket != std::string::npos && word.ends_with(']')) {
    word.pop_back();
    word[bracket] = '_';
  }
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '*'; };
  return !word.empty() && (word[0] < '0' || word[0] > '9') && std::all_of(word.begin(), word.end(), fits);
}

// One number, or one of each row: a star stands only for the row.
bool is_id(const std::string& word) {
  return is_name(word) && word.substr(0, word.find("[*]")).find('*') == std::string::npos;
}

std::optional<double> positive_number(const std::string& word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool whole = error == std::errc() && end == word.data() + word.size();
  return whole && std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

// The words of a law, taken one after the other.
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
    if (words.done()) return factors;
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

}  // namespace

Law parse_law(const std::string& text) {
  if (text.size() > kMostBytes) throw BadLaw("expected at most " + std::to_string(kMostBytes) + " bytes");
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
    const std::string verb = words.take_any_of({"=", "<=", "never", "in"});
    if (verb == "=") {
      if (!is_id(law.subject)) throw BadLaw("expected one value before =, not " + law.subject);
      law.product = product(words);
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

std::optional<double> Law::value(const std::function<std::optional<double>(const std::string& id)>& value_of) const {
  double result = 1;
  for (const Factor& factor : product) {
    const auto number = factor.id.empty() ? std::optional(factor.number) : value_of(factor.id);
    if (!number) return std::nullopt;
    result = factor.divides ? result / *number : result * *number;
  }
  return result;
}

std::string Law::right_side() const {
  for (const std::string between : {" <= ", " = "}) {
    const auto at = text.find(between);
    if (at != std::string::npos) return text.substr(at + between.size());
  }
  return "";
}

// Takes each part between stars at its first place, which leaves the most for those after it.
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

}  // namespace hf
