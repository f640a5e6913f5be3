/// \file
/// The changes from one record to another, beyond the noise.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "claims.hpp"

namespace hf {

/// A claim on which two records disagree.
struct Flip {
  std::string id;
  Answer before, after;
  double observed_before = 0, observed_after = 0;
  std::string bound;

  /// True if one record says that the claim holds and the other that it fails; else one of them is too close to call.
  bool is_contradiction() const { return before != Answer::too_close && after != Answer::too_close; }
};

/// A value, or a point of a series, that moved beyond the noise.
struct Move {
  std::string name;  ///< "peak_fp32_gflops", "latency at 4096", "kernels at vector add"
  std::string unit;
  double before = 0, after = 0;  ///< medians
};

struct Difference {
  std::vector<Flip> flips;
  std::vector<Move> values;
  std::vector<Move> points;
  std::vector<std::string> missing;  ///< the parts that only one of the records has, in words
};

/// The changes from `before` to `after`, two checked records, including their answers to the lab's `claims`. A number
/// moved if its intervals [low, high] are separated by more than the larger noise floor of the two records, relative to
/// the smaller of the ends that face each other.
Difference difference(const nlohmann::json& before, const nlohmann::json& after, const std::vector<Claim>& claims);

}  // namespace hf
