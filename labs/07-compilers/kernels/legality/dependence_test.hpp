/// \file
/// A loop nest as data; which of its iterations must come before which, found from its subscripts without running it; and which
/// new orders, as matrices, keep to that.
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

/// Loop k counts from 0 to extents[k] - 1, the outermost first. An iteration writes
/// one element, after all that it reads.
struct LoopNest {
  LoopVector extents;
  Access write;
  std::vector<Access> reads;
};

std::int64_t value(const Affine& affine, const LoopVector& iteration);

/// The subscripts of the element that is meant.
LoopVector element(const Access& access, const LoopVector& iteration);

/// Calls `visit(iteration)` for all, in the order in which they are written down.
void visit_iterations(const LoopNest& nest, const std::function<void(const LoopVector&)>& visit);

/// New loops made of the old: the counter of loop r is Σ rows[r][k] · (old counter k). Exchanging, skewing and turning
/// loops round are such matrices, and so is one after the other (Wolf and Lam, 1991).
/// \pre whole numbers, determinant 1 or -1: each iteration has one place in the new order, and each place one iteration
struct Transformation {
  std::vector<LoopVector> rows;
};

/// Old loop order[r] becomes loop r.
Transformation permutation(const std::vector<std::size_t>& order);

/// Adds `factor` times loop `by` to loop `loop`.
Transformation skew(std::size_t loops, std::size_t loop, std::size_t by, std::int64_t factor);

/// What `first` and then `second` come to.
Transformation then(const Transformation& first, const Transformation& second);

LoopVector operator*(const Transformation& transformation, const LoopVector& vector);

/// Whether the first number that is not zero is above it: then the iteration comes later in the order of the loops.
bool is_positive(const LoopVector& vector);

/// All iterations in the order of the new loops.
std::vector<LoopVector> order_of(const LoopNest& nest, const Transformation& transformation);

/// All distances between two iterations, the earlier one first in the order written down, that touch the same element and
/// do not both only read it. Found by running the loops: what a dependence test is held against.
std::set<LoopVector> enumerated_distances(const LoopNest& nest);

std::string text(const LoopVector& vector);  ///< "(1, -1)"

// ---- The test ----

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

std::string text(const Dependence& dependence);  ///< "flow (1, -1)", "output (0, 0, 1 to 7)"

// ---- Nests that nobody chose: what the test says of them, and what happens when they run ----

/// One to three short loops around one write and one or two reads, of arrays with one or two dimensions. In every other
/// nest all accesses have the same factors, as in a stencil.
LoopNest random_nest(std::uint64_t sequence);

/// Orders of all their loops other than the one written down, over many random nests.
struct Verdicts {
  std::size_t harmless = 0;         ///< those that turn no dependence round, by enumeration
  std::size_t harmful = 0;          ///< those that do
  std::size_t allowed = 0;          ///< of the harmless ones, by the test
  std::size_t allowed_wrongly = 0;  ///< of the harmful ones
};

Verdicts judge_random_nests(std::size_t count);

}  // namespace hf::compilers
