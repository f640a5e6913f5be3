// What the lab times, it has checked: right results pass, wrong ones are refused.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "02-matmul/gemm.hpp"
#include "02-matmul/ladder.hpp"
#include "02-matmul/layer_runs.hpp"

namespace hf::matmul {
namespace {

/// A product that leaves out the last term of every sum.
void forgetful(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      c[i * n + j] = 0;
      for (std::size_t p = 0; p + 1 < k; ++p) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
}

const Gemm right = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  gemm(m, n, k, a, b, c);
};

TEST_CASE("the contestants are the rungs and gemm(), on all cores only where there are several") {
  std::vector<std::string> ids;
  for (const Contestant& each : contestants(2)) ids.push_back(each.id);
  CHECK(ids ==
        std::vector<std::string>{"naive", "loop_order", "blocked", "register_tile", "packed", "best", "best_all"});
  CHECK(contestants(1).size() == 6);
}

TEST_CASE("every contestant passes the check of its product, whole or in its first rows; a wrong one does not") {
  const SquareMatrices matrices(70);
  for (const Contestant& each : contestants(2)) {
    CHECK_NOTHROW(matrices.check(each, 70));
    CHECK_NOTHROW(matrices.check(each, 3));
  }
  CHECK_THROWS_AS(matrices.check({"forgetful", "forgetful", forgetful, 1}, 70), std::runtime_error);
}

TEST_CASE("every form of a layer passes its check; a wrong product does not") {
  Softmax* softmax = widest_softmax(probe_machine());
  const auto layers = [&](const Gemm& gemm) {
    return std::vector<LayerRun>{convolution_run({4, 6, 9, 7, 3}, gemm), attention_run({20, 16}, softmax, gemm),
                                 perceptron_run({.batch = 3, .inputs = 12, .hidden = 20}, gemm)};
  };
  for (const LayerRun& layer : layers(right)) CHECK_NOTHROW(check(layer));
  for (const LayerRun& layer : layers(forgetful)) CHECK_THROWS_AS(check(layer), std::runtime_error);
}

TEST_CASE("im2col needs the memory of the image once for each place of the kernel") {
  const LayerRun layer = convolution_run({4, 6, 9, 7, 3}, right);
  CHECK(layer.extra_bytes == 9 * layer.input_bytes);
}

}  // namespace
}  // namespace hf::matmul
