/// \file
/// A loop nest as data: how often each loop runs, and which elements one iteration reads and writes. And orders in which
/// its iterations may be run, as matrices.
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

/// "(1, -1)"
std::string text(const LoopVector& vector);

}  // namespace hf::compilers
