/// \file
/// Reads records, which strangers may have written, and finds numbers by the names that pages, claims and laws use.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "characters.hpp"  // IWYU pragma: export  (what its errors are made of)
#include "file.hpp"        // IWYU pragma: export  (what reading one throws)

namespace hf {

using Json = nlohmann::json;

/// True if `text` consists of lower-case letters, digits and `joint`, starting with a letter, as a record's ids do.
bool is_word(std::string_view text, char joint);

/// A number with at most `significant` digits, as people write it: "0.5", "1e+12".
std::string digits(double value, int significant = 6);

/// Parses JSON with the limits of a record: UTF-8, no repeated key in an object, at most 32 levels deep, strings of at
/// most 4096 bytes, arrays of at most 65536 items, numbers that fit a double. Error messages call the file `name`.
/// Throws FileError. Does not check that the JSON is a record: see check.hpp.
Json parse_json(std::string_view text, const std::string& name);

/// Reads a JSON file of at most 8 MiB and parses it with parse_json. Throws FileError.
Json load_json(const std::filesystem::path& file);

/// True for a file of UTF-8 alone, without a byte-order mark or the zero bytes behind the text that load_json accepts.
/// Throws FileError.
bool is_plain_utf8(const std::filesystem::path& file);

/// The row name of a point, if a series is a column of a table and each point a row: its label or else its x, in lower
/// case, with _ for anything that is not a letter or digit. The same in press/measurements/record.py.
std::string row_of(const Json& point);

/// The median of a measured number and the interval of its samples; both ends are the median if it has none.
struct Interval {
  double low, median, high;
};

/// The interval of a value or a point of a record, whose number is in the member called `median`.
Interval interval(const Json& number, const char* median);

/// A number with its unit and kind: "measured", "simulated", "modelled" or "quoted".
struct Number {
  Interval interval;
  std::string unit, kind;
};

/// The number called `address` in `record` (of the right shape): the value with that id, or a point of a series, such
/// as "speedup[quicksort]"; nothing if there is none.
std::optional<Number> number_at(const Json& record, std::string_view address);

/// One thing wrong with a record: where (a JSON pointer, empty for the whole), what was expected, what to do.
struct Problem {
  std::string pointer, expected, remedy;
};

/// The problem as one line: "FILE: /json/pointer: what was expected; remedy".
std::string line(const std::string& file, const Problem& problem);

}  // namespace hf
