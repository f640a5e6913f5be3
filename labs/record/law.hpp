/// \file
/// The laws that the numbers of a record must obey, and where it breaks them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "record.hpp"

namespace hf {

/// Of a file of laws or definitions.
constexpr std::size_t kMostLawsBytes = std::size_t{1} << 16;

/// What was wrong with the text of a law, as in "expected =, <=, never or in after kernels".
struct BadLaw : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One line that numbers of a record must obey. Words are separated by single spaces:
///
///     kernels <= peak_fp32_gflops                                    a value, or each point of a series, is at most …
///     any GFLOP/s <= highest peak_*_gflops                           every value in that unit is at most …
///     latency never falls                                            along the points of a series; or: never rises
///     bandwidth_* in GB/s or TB/s                                    the unit of a series
///
/// A definition is one, too (definitions.json, see reading.hpp), which a record that has such a value must agree with:
///
///     ridge_flop_per_byte = peak_fp32_gflops / bandwidth_dram_gbs in FLOP/byte
///     flops_per_float_loaded = 4 * peak_fp32_gflops / bandwidth_dram_gbs in FLOP
///     over_peer[*] = speed[*] / peer_speed[*]                        in each row that all of these series have
///
/// In a name, * stands for any characters, or none. A product is made of up to eight positive numbers and ids of values, with * and
/// / from left to right; a point of a series is a value called "speed[q4_0]" (see number_at()). Names that a record does not have make a law say nothing.
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
  std::vector<std::string> units;  ///< in_units: those that are allowed; equal: the subject's, "1" where none is named

  /// What the product comes to, given each value; the interval is as wide as those of its values allow, since ratios may come
  /// from pairs of samples. Nothing where a value is missing, or what is divided by may be zero.
  std::optional<Interval> value(const std::function<std::optional<Interval>(const std::string& id)>& value_of) const;

  /// The right side, as in "4 * peak_fp32_gflops / bandwidth_dram_gbs".
  std::string right_side() const;
};

/// The law that `text` says. Text of more than 200 bytes is none. Throws BadLaw.
Law parse_law(const std::string& text);

/// Whether `id` is what `name` says, in which * stands for any characters.
bool matches(std::string_view name, std::string_view id);

/// Laws as a lab writes them: a JSON list of at most 100 texts, each law once, no definition among them; or definitions, and
/// nothing else. `name` stands for the file in errors, which tell the line. Throws FileError.
std::vector<Law> parse_laws(std::string_view text, const std::string& name);
std::vector<Law> parse_definitions(std::string_view text, const std::string& name);

/// The laws, or the definitions, of the lab `id` below `labs`, as laws.json and definitions.json in its folder have them; none
/// where there is no such file. Throws FileError.
std::vector<Law> load_laws(const std::filesystem::path& labs, const std::string& id);
std::vector<Law> load_definitions(const std::filesystem::path& labs, const std::string& id);

/// Where `record` (consistent with itself) breaks a law: one of those it carries, or of its lab's laws and definitions below
/// `labs`; and where its laws are none.
///
/// Honest records are noisy, so numbers are compared as intervals [low, high], which must disagree by more than a
/// slack: 10 % for arithmetic (speeds, and what follows from others), 25 % for memory (bandwidths and times: where pages
/// lie in a cache that others share moves them this much); plus 12 times the record's own noise floor, counted up to 50 %; plus
/// 25 % where the run was quick or not quiet. In a virtual machine, memory is shared with guests that it does not see, however
/// quiet it is itself: there memory is given 75 % more. Where the run was not quiet, or in a virtual machine, others may
/// have held up all the samples of one point, so one point of a series may break a law about its order. An emulated
/// machine obeys no law about speed.
std::vector<Problem> check_laws(const nlohmann::json& record, const std::filesystem::path& labs);

}  // namespace hf
