/// \file
/// Random operands of one shape, to check and time candidates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "07-compilers/kernels/search/candidate.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/verify.hpp"

namespace hf::compilers {

class CandidateRuns {
 public:
  explicit CandidateRuns(const ProductShape& of)
      : shape(of), a_(matrix(of.m, of.k)), b_(matrix(of.k, of.n)), c_(matrix(of.m, of.n)) {
    fill_random(a_.as<float>(), 1);
    fill_random(b_.as<float>(), 2);
  }

  const ProductShape shape;

  void run(const Candidate& candidate) const { multiply(candidate, shape, floats(a_), floats(b_), floats(c_)); }

  /// Runs a candidate and compares its result with the reference in a few places.
  /// \throws std::runtime_error if the product is wrong
  void check(const Candidate& candidate) const {
    constexpr std::size_t places = 24;
    std::ranges::fill(c_.as<float>(), std::numeric_limits<float>::quiet_NaN());
    run(candidate);
    verify(worst_product_error(shape.m, shape.n, shape.k, floats(a_), floats(b_), floats(c_), places),
           "the product " + shape.text() + " with a tile of " + std::to_string(candidate.schedule.tile_rows) +
               " rows and " + std::to_string(candidate.vectors) + " vectors");
  }

  /// Calls check() and returns a variant for sampling. This object must outlive the variant.
  Variant variant(const std::string& id, const Candidate& candidate) const {
    check(candidate);
    return timed(id, [this, candidate] { run(candidate); });
  }

 private:
  static Buffer matrix(std::size_t rows, std::size_t columns) { return {rows * columns * sizeof(float), Pages::huge}; }
  static float* floats(const Buffer& buffer) { return buffer.as<float>().data(); }

  Buffer a_, b_, c_;
};

}  // namespace hf::compilers
