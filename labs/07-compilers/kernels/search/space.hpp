/// \file
/// The ways to compute one product, counted and numbered.
#pragma once

#include <cstddef>
#include <vector>

#include "07-compilers/kernels/search/candidate.hpp"

namespace hf::compilers {

/// Few enough of the ways to compute this product to measure each: eight heights of a tile, four widths, unrolled or not, and two choices each of
/// depth and width of a block, packing and the order of the inner loops. The rest is as chosen by hand, which is one of them.
class SearchSpace {
 public:
  explicit SearchSpace(const ProductShape& shape);

  std::size_t size() const;
  Candidate candidate(std::size_t index) const;

  /// The one that was chosen by hand.
  std::size_t hand() const { return hand_; }

  /// A candidate as one choice in each dimension, and how many choices each has.
  std::vector<std::size_t> choices(std::size_t index) const;
  std::size_t index(const std::vector<std::size_t>& choices) const;
  const std::vector<std::size_t>& dimensions() const { return dimensions_; }

 private:
  Candidate base_;  ///< as chosen by hand
  std::vector<std::size_t> rows_, vectors_, unrolls_, depths_, widths_, dimensions_;
  std::size_t hand_;
};

}  // namespace hf::compilers
