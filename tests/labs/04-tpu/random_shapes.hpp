/// Shapes for the tests: products and arrays with random sides, the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "kit/random.hpp"

namespace hf::tpu {

class RandomShapes {
 public:
  explicit RandomShapes(std::uint32_t seed) : generator_(seed) {}

  std::size_t side(std::size_t most) { return 1 + generator_() % most; }
  ArrayShape array(std::size_t most) { return {side(most), side(most)}; }
  ProductShape product(std::size_t most) { return {side(most), side(most), side(most)}; }

 private:
  std::mt19937 generator_;
};

/// A product with random operands.
struct RandomProduct {
  explicit RandomProduct(const ProductShape& s, std::uint32_t seed = 1)
      : shape(s), a(random_bytes<std::int8_t>(s.m * s.k, seed)), b(random_bytes<std::int8_t>(s.k * s.n, seed + 1)) {}

  ArrayRun run(Dataflow dataflow, const ArrayShape& array, const ArrayOptions& options = {}) const {
    return run_array(dataflow, array, shape, a, b, options);
  }

  ProductShape shape;
  std::vector<std::int8_t> a, b;
};

}  // namespace hf::tpu
