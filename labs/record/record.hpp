/// \file
/// Reading records, which strangers may have written, and how pages, claims and laws call a number of one.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "characters.hpp"  // IWYU pragma: export  (what its errors are made of)
#include "file.hpp"        // IWYU pragma: export  (what reading one throws)

namespace hf {

using Json = nlohmann::json;

/// Whether `text` is lower-case letters, digits and `joint`, a letter first, as the ids of a record are.
bool is_word(std::string_view text, char joint);

/// A number with at most so many significant digits, as people write it: "0.5", "1e+12".
std::string digits(double value, int significant = 6);

/// Parses JSON as records are written: UTF-8, no key twice in an object, at most 32 levels deep, strings of at most
/// 4096 bytes, arrays of at most 65536 items, numbers that fit a double. `name` stands for the file in errors.
/// Throws FileError. Says nothing about whether the JSON is a record: see check.hpp.
Json parse_json(std::string_view text, const std::string& name);

/// Reads a JSON file of at most 8 MiB and parses it with parse_json. Throws FileError.
Json load_json(const std::filesystem::path& file);

/// Reads a record that can be relied on: load_json, then everything in check.hpp, with the laws of the labs in `labs`.
/// Throws FileError with the first problem.
Json load_record(const std::filesystem::path& file, const std::filesystem::path& labs = {});

/// A series is a column of a table, and each of its points a row. What a point is called: its label, or else its x, in lower
/// case with _ for whatever is no letter and no digit. The same in site/hardware_first/records.py.
std::string row_of(const Json& point);

/// The median of a measured number, and the interval around it that its samples are in; a point where it has none.
struct Interval {
  double low, median, high;
};

/// The interval of a value or a point of a record, whose number is in the member `median`.
Interval interval(const Json& number, const char* median);

/// A number with its unit, and of what kind it is: "measured", "simulated", "modelled" or "quoted".
struct Number {
  Interval interval;
  std::string unit, kind;
};

/// The number that is called `address` in `record` (of the right shape): the value of that id, or a point of a series, as
/// in "gemv_speedup[q4_0]"; nothing where there is none.
std::optional<Number> number_at(const Json& record, std::string_view address);

}  // namespace hf
