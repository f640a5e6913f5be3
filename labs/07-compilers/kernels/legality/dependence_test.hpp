/// \file
/// A loop nest as data; its dependences, found from the subscripts without running it; and tests of which new orders,
/// given as matrices, preserve them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace hf::compilers {

/// A whole number for each loop, the outermost first: an iteration, or the distance between two.
using LoopVector = std::vector<std::int64_t>;

/// Σ factors[k] · (counter of loop k) + constant
struct Affine {
  LoopVector factors;
  std::int64_t constant;
};

/// An element of an array: one subscript for each of its dimensions.
struct Access {
  int array;
  std::vector<Affine> subscripts;
};

/// Loop k counts from 0 to extents[k] - 1, the outermost first. An iteration first does all its reads, then writes one
/// element.
struct LoopNest {
  LoopVector extents;
  Access write;
  std::vector<Access> reads;
};

std::int64_t value(const Affine& affine, const LoopVector& iteration);

/// Returns the subscripts of the element that an iteration accesses.
LoopVector element(const Access& access, const LoopVector& iteration);

/// Calls `visit(iteration)` for every iteration, in the original order.
void visit_iterations(const LoopNest& nest, const std::function<void(const LoopVector&)>& visit);

/// New loops made from old ones: the counter of loop r is Σ rows[r][k] · (old counter k). Exchanging, skewing and
/// reversing loops are such matrices, and so is any sequence of them (Wolf and Lam, 1991).
/// \pre whole numbers, determinant 1 or -1: each iteration has one place in the new order, and each place one iteration
struct Transformation {
  std::vector<LoopVector> rows;
};

/// Returns the transformation that makes old loop order[r] loop r.
Transformation permutation(const std::vector<std::size_t>& order);

/// Returns the transformation that adds `factor` times loop `by` to loop `loop`.
Transformation skew(std::size_t loops, std::size_t loop, std::size_t by, std::int64_t factor);

/// Returns `first` followed by `second` as one transformation.
Transformation then(const Transformation& first, const Transformation& second);

LoopVector operator*(const Transformation& transformation, const LoopVector& vector);

/// True if the first nonzero number is positive: an iteration at this distance comes later in the order of the loops.
bool is_positive(const LoopVector& vector);

/// Returns all iterations in the order of the new loops.
std::vector<LoopVector> order_of(const LoopNest& nest, const Transformation& transformation);

/// Returns all distances from an iteration to a later one (in the original order) that touches the same element, if at
/// least one of them writes it. Found by running the loops, to check the dependence test.
std::set<LoopVector> enumerated_distances(const LoopNest& nest);

std::string text(const LoopVector& vector);  ///< "(1, -1)"

// ---- The test ----

/// Whole numbers from low to high; none where low > high.
struct Range {
  std::int64_t low, high;

  bool is_empty() const { return low > high; }
  bool operator==(const Range&) const = default;
};

/// A dependence: the earlier iteration must stay before the later one. Either it writes what the later one reads (flow)
/// or writes (output), or it reads what the later one writes (anti).
struct Dependence {
  enum class Kind { flow, anti, output };

  Kind kind;
  std::vector<Range> distance;  ///< from the earlier to the later, for each loop: a range of all possible values
};

/// Returns all dependences, each carried by one loop: the distance is 0 in the loops around it, at least 1 in that one.
///
/// Two accesses meet where their subscripts are equal: linear equations for the two iterations and their distance. The
/// equations are brought into echelon form over the whole numbers. If the factors of one have a common divisor that
/// does not divide its right side, there is no solution (the GCD test); every other equation narrows the ranges of its
/// unknowns (Banerjee's inequalities). If both accesses have the same factors, and no more loops than independent
/// subscripts, every distance is found as a single number. Otherwise a range may be wider than necessary.
/// \pre numbers small enough for products of a few of them to fit into 64 bits
std::vector<Dependence> dependences(const LoopNest& nest);

/// True if every possible dependence still points forward in the new order.
bool is_legal(const std::vector<Dependence>& all, const Transformation& order);

/// True if this loop of the new order carries no possible dependence: its iterations may run at the same time, or in
/// the lanes of a register.
bool is_parallel(const std::vector<Dependence>& dependences, const Transformation& transformation, std::size_t loop);

std::string text(const Dependence& dependence);  ///< "flow (1, -1)", "output (0, 0, 1 to 7)"

// ---- Random nests: the verdicts of the test, compared with running the loops ----

/// Returns a nest of one to three short loops around one write and one or two reads, of arrays with one or two
/// dimensions. In every other nest all accesses have the same factors, as in a stencil.
LoopNest random_nest(std::uint64_t sequence);

/// Counts of new loop orders, over many random nests; the original order is not counted.
struct Verdicts {
  std::size_t harmless = 0;         ///< orders that reverse no dependence, by enumeration
  std::size_t harmful = 0;          ///< orders that reverse one
  std::size_t allowed = 0;          ///< harmless orders that the test allows
  std::size_t allowed_wrongly = 0;  ///< harmful orders that the test allows
};

Verdicts judge_random_nests(std::size_t count);

}  // namespace hf::compilers
