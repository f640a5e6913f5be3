/// \file
/// What changed from one record to another, beyond the noise.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "claims.hpp"

namespace hf {

/// A claim of which two records say different things.
struct Flip {
  std::string id;
  Answer before, after;
  double observed_before = 0, observed_after = 0;
  std::string bound;

  /// Whether one says that the claim holds, and the other that it fails; else one of them cannot tell.
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
  std::vector<std::string> missing;  ///< what only one of the records has, in words
};

/// What changed from `before` to `after`, two checked records, and in what they say of the lab's `claims`. Numbers moved where their intervals [low, high] lie
/// apart by more than the larger noise floor of the two, relative to the smaller of the ends that face each other.
Difference difference(const nlohmann::json& before, const nlohmann::json& after, const std::vector<Claim>& claims);

}  // namespace hf
