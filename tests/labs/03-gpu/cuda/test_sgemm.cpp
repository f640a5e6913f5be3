// The fp32 ladder's kernels, run on the processor (cuda_on_cpu.hpp says how), against the double-precision reference.
#include "cuda_on_cpu.hpp"
// The kernels come after what they are compiled with.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"
#include "common/product.hpp"
#include "common/random.hpp"

namespace hf::gpu {
namespace {

constexpr float guard = 1234.5f;

/// What a kernel makes of poison, with a guard behind it.
std::vector<float> product(const SgemmRung& rung, const GemmShape& shape, const std::vector<float>& a,
                           const std::vector<float>& b) {
  const auto size = static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n);
  std::vector<float> c(size + 64, std::numeric_limits<float>::quiet_NaN());
  std::fill(c.begin() + static_cast<std::ptrdiff_t>(size), c.end(), guard);
  rung.multiply(shape, a.data(), b.data(), c.data());
  CHECK(std::all_of(c.begin() + static_cast<std::ptrdiff_t>(size), c.end(), [](float x) { return x == guard; }));
  return c;
}

void check(const SgemmRung& rung, const GemmShape& shape) {
  CAPTURE(rung.label);
  CAPTURE(shape.m);
  CAPTURE(shape.n);
  CAPTURE(shape.k);
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  std::vector<float> a(m * k), b(k * n);
  fill_random(a, 1);
  fill_random(b, 2);
  std::vector<float> c = product(rung, shape, a, b);
  CHECK(worst_product_error(m, n, k, a.data(), b.data(), c.data(), m * n) <= 1);

  // Whole numbers: every sum is exact in any order, so a single product that is missing or counted twice shows.
  for (float& x : a) x = std::round(4 * x);
  for (float& x : b) x = std::round(4 * x);
  c = product(rung, shape, a, b);
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < m * n; ++at)
    wrong += double{c[at]} != reference_product(a.data(), b.data(), n, k, at / n, at % n).value;
  CHECK(wrong == 0);
}

TEST_CASE("one thread for each number, any shape") {
  for (const SgemmRung& rung : sgemm_rungs()) {
    if (rung.multiple > 1) continue;
    for (const GemmShape& shape : {GemmShape{1, 1, 1}, {33, 7, 40}, {31, 65, 32}}) check(rung, shape);
  }
}

TEST_CASE("tiles, whole ones and those that stick out") {
  std::vector<SgemmRung> rungs = sgemm_warp_tiles();
  for (const SgemmRung& rung : sgemm_rungs()) rungs.push_back(rung);
  for (const SgemmRung& rung : rungs) {
    check(rung, {128, 128, 32});
    check(rung, {130, 264, 68});
    check(rung, {1, 4, 4});
  }
}

TEST_CASE("the threads of a warp stand everywhere once, and neighbours read the same") {
  std::set<std::pair<int, int>> places;
  for (int lane = 0; lane < 32; ++lane) {
    places.emplace(row_in_warp(lane), column_in_warp(lane));
    CHECK(row_in_warp(lane) == row_in_warp(lane ^ 1));        // one access to a for two threads
    CHECK(column_in_warp(lane) == column_in_warp(lane ^ 2));  // and one to b
    CHECK(row_in_warp(lane) < 8);
    CHECK(column_in_warp(lane) < 4);
  }
  CHECK(places.size() == 32);
}

TEST_CASE("rungs have names of their own") {
  std::set<std::string> ids;
  for (const SgemmRung& rung : sgemm_rungs()) ids.insert(rung.id);
  for (const SgemmRung& rung : sgemm_warp_tiles()) ids.insert(rung.id);
  CHECK(ids.size() == sgemm_rungs().size() + sgemm_warp_tiles().size());
}

}  // namespace
}  // namespace hf::gpu
