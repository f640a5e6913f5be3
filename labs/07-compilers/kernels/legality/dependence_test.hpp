/// \file
/// Which iterations of a loop nest must come before which, found from its subscripts without running it; and which new
/// orders keep to that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "07-compilers/kernels/legality/loop_nest.hpp"

namespace hf::compilers {

/// Whole numbers from low to high; none where low > high.
struct Range {
  std::int64_t low, high;

  bool is_empty() const { return low > high; }
  bool operator==(const Range&) const = default;
};

/// The earlier iteration must come before the later: it writes what the later reads (flow) or writes (output), or reads
/// what the later writes (anti).
struct Dependence {
  enum class Kind { flow, anti, output };

  Kind kind;
  std::vector<Range> distance;  ///< from the earlier to the later, for each loop: all that is possible lies in it
};

/// All dependences, each carried by one loop: 0 in the loops around it, at least 1 in that one.
///
/// Two accesses meet where their subscripts are equal: linear equations for the two iterations and their distance. They
/// are brought into echelon form over the whole numbers, so that each says as much as it can alone; one whose factors
/// have a common divisor that its right side lacks has no solution (the GCD test); each of the others narrows the
/// ranges of its unknowns (Banerjee's inequalities). Where both accesses have the same factors, and no more
/// loops than independent subscripts, every distance comes out as one number. Where it does not know, it gives a wider range.
/// \pre numbers small enough for products of a few of them to fit into 64 bits
std::vector<Dependence> dependences(const LoopNest& nest);

/// Whether every dependence that there may be still points forward in the new order.
bool is_legal(const std::vector<Dependence>& all, const Transformation& order);

/// Whether no dependence that there may be is carried by this loop of the new order: its iterations may run at the same
/// time, or in the lanes of a register.
bool is_parallel(const std::vector<Dependence>& dependences, const Transformation& transformation, std::size_t loop);

/// "flow (1, -1)", "output (0, 0, 1 to 7)"
std::string text(const Dependence& dependence);

}  // namespace hf::compilers
