// A branch for each number: vectors and single numbers agree with the reference, wherever the lanes disagree.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "03-gpu/kernels/branches.hpp"

namespace hf::gpu {
namespace {

TEST_CASE("both give the reference's numbers, within what rounding allows") {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (const std::size_t vectors : {0, 1, 2, 3, 50}) {
    std::vector<float> x(vectors * vector_lanes()), y(x.size());
    for (float& each : x) each = uniform(random);
    for (const float threshold : {0.0f, 0.01f, 0.3f, 0.5f, 0.99f, 2.0f}) {
      for (const auto way : {branch_scalar, branch_vector}) {
        std::fill(y.begin(), y.end(), std::nanf(""));
        way(x.data(), y.data(), x.size(), threshold);
        for (std::size_t i = 0; i < x.size(); ++i)
          REQUIRE(std::abs(y[i] - branch_reference(x[i], threshold)) <= branch_error_bound());
      }
    }
  }
}

TEST_CASE("every pattern of lanes that disagree is kept apart") {
  std::vector<float> x(vector_lanes()), y(vector_lanes());
  for (std::size_t odd = 0; odd < x.size(); ++odd) {
    for (const float others : {0.25f, 0.75f}) {
      std::fill(x.begin(), x.end(), others);
      x[odd] = 1 - others;
      branch_vector(x.data(), y.data(), x.size(), 0.5f);
      for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(std::abs(y[i] - branch_reference(x[i], 0.5f)) <= branch_error_bound());
    }
  }
}

TEST_CASE("the bound tells the two ways apart") {
  // Otherwise a result of the wrong branch could pass.
  for (const float x : {0.01f, 0.3f, 0.6f, 0.9f})
    CHECK(std::abs(branch_reference(x, 2) - branch_reference(x, 0)) > 100 * branch_error_bound());
}

TEST_CASE("the model pays for a way when any lane takes it") {
  CHECK(divergence_model(0, 16, 1, 10) == doctest::Approx(1));
  CHECK(divergence_model(1, 16, 1, 10) == doctest::Approx(10));
  CHECK(divergence_model(0.5, 1, 1, 10) == doctest::Approx(5.5));  // one lane never disagrees with itself
  CHECK(divergence_model(0.5, 16, 1, 10) == doctest::Approx(11).epsilon(1e-4));
  CHECK(divergence_model(0.1, 4, 1, 10) == doctest::Approx((1 - 0.6561) * 10 + (1 - 0.0001) * 1));
}

}  // namespace
}  // namespace hf::gpu
