#include "record.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hf {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxString = 4096;
constexpr std::size_t kMaxItems = 65536;

// Builds the value during parsing, and refuses input that Json::parse would accept: repeated keys, of which the last
// would silently win, and sizes that only a hostile file has.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const std::string& name) : name_(name) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool binary(binary_t&) override { refuse("expected JSON text"); }
  bool string(string_t& value) override { return add(bounded(value)); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    keys_.back() = bounded(value);
    if (open_.back()->contains(value)) refuse("expected each key once");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    const bool number = error.id == 406;  // out_of_range: a number beyond the largest double
    refuse_at(position, number ? "expected a finite number" : "expected valid JSON in UTF-8");
  }

  [[noreturn]] void refuse_at(std::size_t position, const std::string& expectation) const {
    refuse(expectation + " at byte " + std::to_string(position));
  }

 private:
  template <typename Value>
  bool add(Value&& value) {
    place(Json(std::forward<Value>(value)));
    return true;
  }

  Json* place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[keys_.back()] = std::move(value));
    if (parent.size() == kMaxItems) refuse("expected at most " + std::to_string(kMaxItems) + " items");
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool open(Json container) {
    if (open_.size() == kMaxDepth) refuse("expected at most " + std::to_string(kMaxDepth) + " levels");
    open_.push_back(place(std::move(container)));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  const std::string& bounded(const std::string& text) const {
    if (text.size() > kMaxString) refuse("expected text of at most " + std::to_string(kMaxString) + " bytes");
    return text;
  }

  // The current place as a JSON pointer.
  std::string pointer() const {
    Json::json_pointer at;
    for (std::size_t level = 0; level < open_.size(); ++level) {
      if (open_[level]->is_object()) {
        if (keys_[level].empty()) break;  // before its first key
        at /= keys_[level];
      } else {
        at /= open_[level]->size() - (level + 1 < open_.size());
      }
    }
    return at.to_string();
  }

  [[noreturn]] void refuse(const std::string& expectation) const {
    throw FileError(line(name_, {pointer(), expectation, "run the lab again"}));
  }

  const std::string& name_;
  Json root_;
  std::vector<Json*> open_;        // from the root to the innermost container
  std::vector<std::string> keys_;  // the last key seen in each container
};

std::string name_of(const Json& point) {
  if (point.contains("label")) return point["label"];
  return digits(point.at("x").get<double>());
}

}  // namespace

bool is_word(std::string_view text, char joint) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == joint; };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, fits);
}

std::string digits(double value, int significant) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", significant, value);
  return text.data();
}

namespace {

// Appends a code point.
void append_utf8(std::string& text, char32_t point) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr char32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  add(kFirst[more] | point >> (6 * more));
  for (int i = more - 1; i >= 0; --i) add(0x80 | (point >> (6 * i) & 0x3f));
}

// Half a pair becomes three bytes that are not UTF-8, and the parser refuses them.
std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    char32_t point = unit(at);
    if (point >= 0xd800 && point < 0xdc00 && at + 3 < bytes.size()) {
      const char32_t low = unit(at + 2);
      if (low >= 0xdc00 && low < 0xe000) {
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        at += 2;
      }
    }
    append_utf8(text, point);
  }
  return text;
}

// Text as an editor or a mailer may have saved it: UTF-8 or UTF-16, with or without a byte-order mark, with NULs behind
// it. JSON begins with an ASCII character, so a NUL among its first two bytes means UTF-16.
std::string as_utf8(std::string_view bytes) {
  using namespace std::string_view_literals;
  std::string text;
  if (bytes.starts_with("\xff\xfe"sv)) {
    text = from_utf16(bytes.substr(2), false);
  } else if (bytes.starts_with("\xfe\xff"sv)) {
    text = from_utf16(bytes.substr(2), true);
  } else if (bytes.size() > 1 && (bytes[0] == 0) != (bytes[1] == 0)) {
    text = from_utf16(bytes, bytes[0] == 0);
  } else {
    text = bytes.starts_with("\xef\xbb\xbf"sv) ? bytes.substr(3) : bytes;
  }
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

}  // namespace

Json parse_json(std::string_view text, const std::string& name) {
  Builder builder(name);
  // The parser takes a NUL for the end and would ignore the rest.
  const auto nul = text.find('\0');
  if (nul != std::string_view::npos) builder.refuse_at(nul, "expected valid JSON in UTF-8");
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

Json load_json(const std::filesystem::path& file) {
  return parse_json(as_utf8(read_file(file, kMaxBytes)), file.string());
}

bool is_plain_utf8(const std::filesystem::path& file) {
  const std::string bytes = read_file(file, kMaxBytes);
  return as_utf8(bytes) == bytes;
}

std::string row_of(const Json& point) {
  std::string row;
  bool gap = false;
  for (char c : name_of(point)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (fits && gap && !row.empty()) row += '_';
    if (fits) row += c;
    gap = !fits;
  }
  return row;
}

Interval interval(const Json& number, const char* median) {
  const double middle = number.at(median).get<double>();
  return {number.value("low", middle), middle, number.value("high", middle)};
}

std::optional<Number> number_at(const Json& record, std::string_view address) {
  for (const Json& value : record.at("values")) {
    if (value.at("id") == address) return Number{interval(value, "value"), value.at("unit"), value.at("kind")};
  }
  const auto bracket = address.find('[');
  if (bracket == std::string_view::npos || !address.ends_with(']')) return std::nullopt;
  const std::string_view row = address.substr(bracket + 1, address.size() - bracket - 2);
  for (const Json& series : record.at("series")) {
    if (series.at("id") != address.substr(0, bracket)) continue;
    for (const Json& point : series.at("points")) {
      if (row_of(point) != row) continue;
      return Number{interval(point, "median"), series.at("/y/unit"_json_pointer), series.at("kind")};
    }
  }
  return std::nullopt;
}

std::string line(const std::string& file, const Problem& problem) {
  const std::string where = problem.pointer.empty() ? "" : problem.pointer + ": ";
  return printable(file + ": " + where + problem.expected + "; " + problem.remedy);
}

}  // namespace hf
