#include "07-compilers/check/candidate_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "07-compilers/kernels/search/candidate.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"

namespace hf::compilers {
namespace {

Buffer matrix(std::size_t rows, std::size_t columns) { return {rows * columns * sizeof(float), Pages::huge}; }

float* floats(const Buffer& buffer) { return buffer.as<float>().data(); }

}  // namespace

CandidateRuns::CandidateRuns(const ProductShape& shape)
    : shape_(shape), a_(matrix(shape.m, shape.k)), b_(matrix(shape.k, shape.n)), c_(matrix(shape.m, shape.n)) {
  fill_random(a_.as<float>(), 1);
  fill_random(b_.as<float>(), 2);
}

void CandidateRuns::run(const Candidate& candidate) const {
  multiply(candidate, shape_, floats(a_), floats(b_), floats(c_));
}

void CandidateRuns::check(const Candidate& candidate) const {
  constexpr std::size_t places = 24;
  std::ranges::fill(c_.as<float>(), std::numeric_limits<float>::quiet_NaN());
  run(candidate);
  if (worst_product_error(shape_.m, shape_.n, shape_.k, floats(a_), floats(b_), floats(c_), places) <= 1) return;
  throw std::runtime_error("the product " + shape_.text() + " with a tile of " +
                           std::to_string(candidate.schedule.tile_rows) + " rows and " +
                           std::to_string(candidate.vectors) + " vectors is wrong; nothing was timed");
}

Variant CandidateRuns::variant(const std::string& id, const Candidate& candidate) const {
  check(candidate);
  return timed(id, [this, candidate] { run(candidate); });
}

}  // namespace hf::compilers
