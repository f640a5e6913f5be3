// The distance of one distribution from another.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "06-precision/kernels/accuracy/accuracy.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"

namespace hf::precision {
namespace {

TEST_CASE("the divergence of two coins") {
  const double p = 0.8, q = 0.5;
  const std::vector<double> p_logits = {std::log(p) + 7, std::log(1 - p) + 7};
  const std::vector<float> q_logits = {3, 3};
  CHECK(divergence(p_logits, q_logits) == doctest::Approx(p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q))));
  CHECK(entropy(p_logits) == doctest::Approx(-p * std::log(p) - (1 - p) * std::log(1 - p)));
}

TEST_CASE("no distribution diverges from itself, however its logits are shifted") {
  const std::vector<double> p = {1, -2, 0.5, 30};
  CHECK(divergence(p, std::vector<float>{1, -2, 0.5, 30}) == 0);
  CHECK(std::abs(divergence(p, std::vector<float>{101, 98, 100.5, 130})) < 1e-15);
}

TEST_CASE("large logits do not overflow, and improbable tokens cost nothing") {
  CHECK(divergence(std::vector<double>{1000, 0}, std::vector<float>{1000, 100}) == doctest::Approx(0));
  CHECK(divergence(std::vector<double>{0, 0}, std::vector<float>{-5000, 0}) == doctest::Approx(2500 - std::log(2)));
  CHECK(entropy(std::vector<double>(64, 900)) == doctest::Approx(std::log(64)));
}

TEST_CASE("noise of variance s² on the logits diverges by s² / 2, and a tiny one is not lost in rounding") {
  constexpr std::size_t tokens = 100000;
  const std::vector<double> p = normal_numbers(tokens, 3), noise = normal_numbers(tokens, 5);
  for (double spread : {0.1, 1e-3}) {
    std::vector<float> q(tokens);
    for (std::size_t i = 0; i < tokens; ++i) q[i] = static_cast<float>(p[i] + spread * noise[i]);
    CHECK(divergence(p, q) == doctest::Approx(spread * spread / 2).epsilon(0.05));
  }
}

}  // namespace
}  // namespace hf::precision
