/// \file
/// The laws that a record's numbers must obey, and the places where a record breaks them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace hf {

/// The largest size of a file of laws or definitions.
constexpr std::size_t kMostLawsBytes = std::size_t{1} << 16;

/// The text of a law is invalid. The message is like "expected =, <=, never or in after kernels".
struct BadLaw : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One line that a record's numbers must obey. Words are separated by single spaces:
///
///     kernels <= peak_fp32_gflops                                    a value, or each point of a series, is at most …
///     rung_* except rung_best_all <= peak_fp32_gflops                each of these, but for that one, is at most …
///     any GFLOP/s <= highest peak_*_gflops                           every value in that unit is at most …
///     latency never falls                                            along the points of a series; or: never rises
///     bandwidth_* in GB/s or TB/s                                    the unit of a series
///
/// A definition (definitions.json, see reading.hpp) is also a law, which a record that has the value must obey:
///
///     ridge_flop_per_byte = peak_fp32_gflops / bandwidth_dram_gbs in FLOP/byte
///     flops_per_float_loaded = 4 * peak_fp32_gflops / bandwidth_dram_gbs in FLOP
///     over_peer[*] = speed[*] / peer_speed[*]                        in each row that all of these series have
///
/// In a name, * matches any characters, or none. A product consists of up to eight positive numbers and ids of values,
/// with * and / from left to right; a point of a series is a value called "speed[q4_0]" (see number_at()). A law is
/// skipped if the record does not have one of its names.
struct Law {
  enum class Kind { equal, at_most, never_falls, never_rises, in_units };

  /// A number, or the value called `id`, as a factor or divisor; with "[*]", the value in the subject's row.
  struct Factor {
    bool divides = false;
    std::string id;     ///< empty for a number
    double number = 1;  ///< used if there is no id
  };

  std::string text;
  Kind kind = Kind::equal;
  std::string subject;             ///< an id, or a name with *; with `any` a unit
  std::string exception;           ///< what the subject leaves out, in the same form
  bool any = false;                ///< the law applies to every value in a unit
  std::vector<Factor> product;     ///< equal and at_most, unless `highest`
  std::string highest;             ///< at_most: the name whose highest value is the limit
  std::vector<std::string> units;  ///< in_units: the allowed units; equal: the subject's unit, "1" if none is named

  /// The value of the product, given each factor's value; its interval covers all combinations of the factors', since
  /// ratios may come from pairs of samples. Nothing if a value is missing, or a divisor may be zero.
  std::optional<Interval> value(const std::function<std::optional<Interval>(const std::string& id)>& value_of) const;

  /// True if the subject, which is no unit, includes this id.
  bool concerns(std::string_view id) const;

  /// The right side, such as "4 * peak_fp32_gflops / bandwidth_dram_gbs".
  std::string right_side() const;
};

/// Parses a law of at most 200 bytes. Throws BadLaw.
Law parse_law(const std::string& text);

/// True if `id` matches `name`, in which * matches any characters.
bool matches(std::string_view name, std::string_view id);

/// Parses a lab's laws: a JSON list of at most 100 texts, each law once, none a definition; or a list of definitions
/// only. Error messages call the file `name` and give the line. Throws FileError.
std::vector<Law> parse_laws(std::string_view text, const std::string& name);
std::vector<Law> parse_definitions(std::string_view text, const std::string& name);

/// The laws, or the definitions, of the lab `id` below `labs`, from laws.json or definitions.json in its folder; none
/// if the file does not exist. Throws FileError.
std::vector<Law> load_laws(const std::filesystem::path& labs, const std::string& id);
std::vector<Law> load_definitions(const std::filesystem::path& labs, const std::string& id);

/// The places where `record`, which must be consistent, breaks a law (one of its own, or of its lab's laws and
/// definitions below `labs`) or contains an invalid law.
///
/// Honest records are noisy, so a law compares intervals [low, high], which must disagree by more than a slack: 10% for
/// arithmetic (speeds, and numbers computed from others) or 25% for memory (bandwidths and times, which depend this
/// much on where pages lie in a shared cache); plus 12 times the record's own noise floor, counted up to 50%; plus 25%
/// if the run was quick or not quiet. A virtual machine shares memory with guests that it cannot see, however quiet it
/// is itself: there memory gets another 75%. If the run was not quiet, or in a virtual machine, other processes may
/// have delayed all samples of one point, so one point of a series may break a law about its order. For an emulated
/// machine only the laws about units apply.
///
/// With these slacks, a law refuses an honest record in fewer than 1 of 10,000 runs (with 8 noise floors instead of 12,
/// one refused 3), judging by published records that were measured again on a simulated, worse host: samples drawn with
/// replacement, 1 in 20 of them slow by a Pareto factor with exponent 2; all samples of a number multiplied by
/// exp(2fz), where f is the noise floor and z is normal; and 1 in 500 points delayed as a whole. (The program of this
/// study, tools/record/power.cpp, was last in commit f441e581.) All those records come from virtual machines, so this
/// cannot tell whether the slack of a physical machine is right.
std::vector<Problem> check_laws(const nlohmann::json& record, const std::filesystem::path& labs);

}  // namespace hf
