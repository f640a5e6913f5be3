// Methods of summation: exact where they must be, and elsewhere within the bounds of the theorems.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "06-precision/check/sum_errors.hpp"
#include "06-precision/kernels/sums/sums.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"

namespace hf::precision {
namespace {

const std::vector<SumVariant> all_ways = [] {
  std::vector<SumVariant> ways(sum_variants.begin(), sum_variants.end());
  ways.insert(ways.end(), bf16_sum_variants.begin(), bf16_sum_variants.end());
  ways.push_back({"fp16", "fp16", fp16_sum});
  return ways;
}();

/// Lengths around registers, chains and blocks.
const std::vector<std::size_t> lengths = {0,   1,   2,   3,    15,   16,   17,   31,   33,   127,
                                          128, 129, 255, 1000, 1023, 1024, 1025, 2048, 2049, 12345};

/// Random in [−1, 1), and of very different sizes.
std::vector<float> signed_terms(std::size_t count, std::uint64_t sequence) {
  std::vector<float> terms(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int exponent = static_cast<int>(random_below(sequence + 1, i, 40)) - 20;
    terms[i] = std::ldexp(random_number(sequence, i), exponent);
  }
  return terms;
}

double magnitude(std::span<const float> x) {
  double sum = 0;
  for (float term : x) sum += std::abs(double{term});
  return sum;
}

TEST_CASE("none, one, and whole numbers that every format can count to") {
  for (const SumVariant& way : all_ways) {
    CAPTURE(way.id);
    CHECK(way.sum({}) == 0);
    for (float x : {1.0f, -0.375f, 0x1p-14f, 96.0f}) CHECK(way.sum(std::span(&x, 1)) == x);
    for (std::size_t n : {2, 7, 16, 33, 100, 256}) CHECK(way.sum(std::vector<float>(n, 1.0f)) == static_cast<float>(n));
  }
}

TEST_CASE("a sum in parts has every term once, and rounds by where it is cut") {
  for (std::size_t parts : {1, 2, 7, 64}) {
    CHECK(sum_in_parts({}, parts) == 0);
    for (std::size_t n : lengths) CHECK(sum_in_parts(std::vector<float>(n, 1.0f), parts) == static_cast<float>(n));
  }
  const std::vector<float> terms = {0x1p24f, 1, 1, -0x1p24f};
  CHECK(sum_in_parts(terms, 1) == 0);
  CHECK(sum_in_parts(terms, 2) == 1);  // 2^24 + (1 − 2^24)
}

TEST_CASE("each term is added once, wherever it stands") {
  for (const SumVariant& way : sum_variants) {
    CAPTURE(way.id);
    for (std::size_t n : lengths) {
      CAPTURE(n);
      std::vector<float> terms(n);
      double exact = 0;
      for (std::size_t i = 0; i < n; ++i) exact += terms[i] = static_cast<float>(random_below(7, i, 1000));
      CHECK(way.sum(terms) == exact);  // below 2^24, so that nothing is rounded
    }
  }
}

/// The bound of the theorem that sums.hpp names, for a result that is off by no more than `roundings` of u A.
void check_bound(const SumVariant& way, const std::vector<float>& terms, double roundings) {
  CAPTURE(way.id);
  CAPTURE(terms.size());
  const double bound = rounding_error(roundings) * magnitude(terms);
  CHECK(std::abs(way.sum(terms) - reference_sum(terms)) <= bound);
}

TEST_CASE("no sum is further off than its theorem allows") {
  for (std::size_t n : lengths) {
    for (const std::vector<float>& terms : {random_terms(n, 3), signed_terms(n, 4)}) {
      const double many = static_cast<double>(n);
      check_bound(sum_variants[0], terms, many);
      // At most 128 chains and at least 32; each register is added up as a tree, and so are the registers.
      check_bound(sum_variants[1], terms, many / 32 + 9);
      check_bound(sum_variants[2], terms, std::log2(many + 1) + 32 + 9);
    }
  }
}

TEST_CASE("what is wide is off by the last rounding and no more") {
  for (std::size_t n : lengths) {
    for (const std::vector<float>& terms : {random_terms(n, 5), signed_terms(n, 6)}) {
      const double exact = reference_sum(terms), u = unit_roundoff;
      const double bound = u * std::abs(exact) + std::pow(static_cast<double>(n) * u, 2) * magnitude(terms);
      CAPTURE(n);
      CHECK(std::abs(wide_sum(terms) - exact) <= bound);
    }
  }
}

TEST_CASE("the reference survives the compiler, and terms that cancel") {
  const float huge = 1e30f, small = 0x1p-24f;
  CHECK(reference_sum(std::vector<float>{1, huge, 1, -huge}) == 2);
  CHECK(reference_sum(std::vector<float>{huge, 1, -huge}) == 1);
  CHECK(naive_sum(std::vector<float>{1, huge, 1, -huge}) == 0);  // in the given order: nothing was reordered
  CHECK(naive_sum(std::vector<float>{1, small, small, small, small}) == 1);
}

TEST_CASE("what is infinite or no number stays so") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const SumVariant& way : all_ways) {
    CAPTURE(way.id);
    CHECK(way.sum(std::vector<float>{1, infinity, 1}) == infinity);
    CHECK(std::isnan(way.sum(std::vector<float>{1, infinity, -infinity})));
    CHECK(std::isnan(way.sum(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()})));
  }
}

TEST_CASE("an accumulator stands still where one is half of its spacing") {
  CHECK(count_ones(bf16_sum_variants[0], {1, 255, 256, 257, 1000}) == std::vector<float>{1, 255, 256, 256, 256});
  CHECK(count_ones({"fp16", "fp16", fp16_sum}, {1, 2047, 2048, 2049, 5000}) ==
        std::vector<float>{1, 2047, 2048, 2048, 2048});
  const float large = 0x1p24f;
  CHECK(naive_sum(std::vector<float>{large, 1, 1, 1}) == large);
}

TEST_CASE("rounding by chance keeps counting") {
  const float sum = stochastic_bf16_sum(std::vector<float>(10000, 1.0f));
  CHECK(sum > 8000);
  CHECK(sum < 12000);
}

TEST_CASE("errors are those of each way, over several arrays") {
  const auto errors = random_sum_errors(sum_variants, 1 << 12);
  REQUIRE(errors.size() == sum_variants.size());
  CHECK(errors[0].median > errors[1].median);  // one chain, many
  for (const Estimate& error : errors) CHECK(error.median > 0);
  for (const Estimate& error : errors) CHECK(error.high < 4096 * unit_roundoff);
}

}  // namespace
}  // namespace hf::precision
