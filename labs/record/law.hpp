/// \file
/// The laws that the numbers of a record must obey, and where it breaks them.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"

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

/// Laws as a lab writes them: a JSON list of at most 100 texts, each law once. `name` stands for the file in errors, which
/// tell the line. Throws FileError.
std::vector<Law> parse_laws(std::string_view text, const std::string& name);

/// The text of laws.json in the folder of the lab `id` below `labs`, empty where there is none. Throws FileError.
std::string laws_text(const std::filesystem::path& labs, const std::string& id);

/// Where `record` (consistent with itself) breaks a law: one of those it carries, or of its lab's laws.json below `labs`;
/// and where its laws are none.
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
