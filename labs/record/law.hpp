/// \file
/// One line that the numbers of a record must obey.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hf {

/// What was wrong with the text of a law, as in "expected =, <=, never or in after kernels".
struct BadLaw : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One line that numbers of a record must obey. Words are separated by single spaces:
///
///     ridge_flop_per_byte = peak_fp32_gflops / bandwidth_dram_gbs    a value follows from others
///     flops_per_float_loaded = 4 * peak_fp32_gflops / bandwidth_dram_gbs
///     kernels <= peak_fp32_gflops                                    a value, or each point of a series, is at most …
///     any GFLOP/s <= highest peak_*_gflops                           every value in that unit is at most …
///     over_peer[*] = speed[*] / peer_speed[*]                        in each row that all of these series have
///     latency never falls                                            along the points of a series; or: never rises
///     bandwidth_* in GB/s or TB/s                                    the unit of a series
///
/// In a name, * stands for any characters, or none. A product is made of up to eight positive numbers and ids of values, with * and
/// / from left to right; a point of a series is a value called "speed[q4_0]" (see address.hpp). Names that a record does not have make a law say nothing.
struct Law {
  enum class Kind { equal, at_most, never_falls, never_rises, in_units };

  /// A number, or the value called `id`, that multiplies or divides; with "[*]", that of the subject's row.
  struct Factor {
    bool divides = false;
    std::string id;     ///< empty for a number
    double number = 1;  ///< without an id
  };

  std::string text;
  Kind kind = Kind::equal;
  std::string subject;             ///< an id, or a name with *; with `any` a unit
  bool any = false;                ///< the subject is every value in a unit
  std::vector<Factor> product;     ///< equal and at_most, unless `highest`
  std::string highest;             ///< at_most: the name whose highest value is the limit
  std::vector<std::string> units;  ///< in_units: those that are allowed

  /// What the product comes to, given each value; nothing where one of them is missing.
  std::optional<double> value(const std::function<std::optional<double>(const std::string& id)>& value_of) const;

  /// The right side, as in "4 * peak_fp32_gflops / bandwidth_dram_gbs".
  std::string right_side() const;
};

/// The law that `text` says. Text of more than 200 bytes is none. Throws BadLaw.
Law parse_law(const std::string& text);

/// Whether `id` is what `name` says, in which * stands for any characters.
bool matches(std::string_view name, std::string_view id);

}  // namespace hf
