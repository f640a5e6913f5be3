// The matmul ladders, and the product in FP8, on a GPU, if one answers: with whole numbers, whose sums are exact in any
// order, so that every number of every product must match to the last bit. For memory errors and races, run NVIDIA's compute-sanitizer by
// hand:
//
//   compute-sanitizer --tool memcheck build/tests/labs/03-gpu/cuda/test-03-gpu-device
//   compute-sanitizer --tool racecheck build/tests/labs/03-gpu/cuda/test-03-gpu-device
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "03-gpu/kernels/cuda/bf16_gemm_rungs.cuh"
#include "03-gpu/kernels/cuda/fp8_gemm.cuh"
#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"
#include "fp8_cases.hpp"
#include "has_device.hpp"
#include "kit/cuda/device.cuh"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

/// Whole numbers from −4 to 4.
std::vector<int> whole_numbers(int count, std::uint32_t sequence) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i)
    numbers.push_back(static_cast<int>(std::lround(4 * random_number(sequence, static_cast<std::uint64_t>(i)))));
  return numbers;
}

float made(int number, float) { return static_cast<float>(number); }
Bf16 made(int number, Bf16) { return to_bf16(static_cast<float>(number)); }
bool same(float result, int sum) { return result == static_cast<float>(sum); }
bool same(Bf16 result, int sum) { return result.bits == to_bf16(static_cast<float>(sum)).bits; }

/// A product of whole numbers, computed once on the processor.
template <class Number>
class Product {
 public:
  /// In b, adjacent elements of a row, and rows, are that far apart.
  Product(GemmShape shape, int b_step, int b_row)
      : shape_(shape), a_(whole_numbers(shape.m * shape.k, 1)), b_(whole_numbers(shape.k * shape.n, 2)) {
    for (int i = 0; i < shape.m; ++i) {
      for (int j = 0; j < shape.n; ++j) {
        int sum = 0;
        for (int p = 0; p < shape.k; ++p)
          sum += a_[static_cast<std::size_t>(i * shape.k + p)] * b_[static_cast<std::size_t>(p * b_row + j * b_step)];
        sums_.push_back(sum);
      }
    }
  }

  /// The number of elements that are wrong if a rung multiplies on the device.
  template <class Multiply>
  int wrong_numbers(Multiply multiply) {
    c_.poison();
    multiply(shape_, device_a_.data(), device_b_.data(), c_.data());
    cuda::finish("the product");
    const std::vector<Number> c = c_.to_host();
    int wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) wrong += !same(c[i], sums_[i]);
    return wrong;
  }

 private:
  static std::vector<Number> all(const std::vector<int>& numbers) {
    std::vector<Number> of_type;
    for (const int number : numbers) of_type.push_back(made(number, Number()));
    return of_type;
  }

  GemmShape shape_;
  std::vector<int> a_, b_, sums_;
  cuda::DeviceArray<Number> device_a_{all(a_)}, device_b_{all(b_)};
  cuda::DeviceArray<Number> c_{static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(shape_.n)};
};

TEST_CASE("fp32, on the device" * doctest::skip(device_is_missing)) {
  for (const GemmShape& shape :
       {GemmShape{1, 4, 4}, {128, 256, 64}, {133, 260, 132}, {500, 700, 300}, {2100, 4104, 264}}) {
    Product<float> product(shape, 1, shape.n);
    for (const SgemmRung& rung : sgemm_rungs()) {
      CAPTURE(rung.label);
      CAPTURE(shape.m);
      CHECK(product.wrong_numbers(rung.multiply) == 0);
    }
  }
}

TEST_CASE("bf16, on the device" * doctest::skip(device_is_missing)) {
  std::vector<Bf16Rung> rungs = bf16_rungs();
  for (const Bf16Rung& rung : bf16_persistents()) rungs.push_back(rung);
  // The last shape has more tiles than there are clusters at a time, so that blocks that stay take a second turn.
  for (const GemmShape& shape :
       {GemmShape{1, 8, 8}, {128, 256, 64}, {133, 264, 136}, {700, 1032, 1000}, {2100, 4104, 264}}) {
    Product<Bf16> product(shape, shape.k, 1);
    for (const Bf16Rung& rung : rungs) {
      if (rung.hopper && cuda::this_device().capability != 90) continue;
      CAPTURE(rung.label);
      CAPTURE(shape.m);
      CHECK(product.wrong_numbers(rung.multiply) == 0);
    }
  }
}

template <bool promotes>
std::vector<Bf16> fp8_product(const Fp8Case& x) {
  const cuda::DeviceArray<E4m3> a(x.a), b(x.b);
  cuda::DeviceArray<Bf16> c(x.size());
  fp8_gemm<promotes>(x.shape, a.data(), b.data(), x.scale, c.data());
  cuda::finish("the product in FP8");
  return c.to_host();
}

TEST_CASE("FP8, on the device" * doctest::skip(device_is_missing)) {
  if (cuda::this_device().capability != 90) return;
  for (const GemmShape& shape : {GemmShape{1, 8, 16}, {128, 256, 128}, {133, 264, 144}, {700, 1032, 1168}}) {
    CAPTURE(shape.m);
    const Fp8Case random = Fp8Case::random(shape), whole = Fp8Case::whole(shape);
    CHECK(whole.wrong(fp8_product<true>(whole)) == 0);
    CHECK(random.worst(fp8_product<true>(random), fp8_tile_k) <= 1);
    CHECK(random.worst(fp8_product<false>(random), shape.k) <= 1);
  }
}

}  // namespace
}  // namespace hf::gpu
