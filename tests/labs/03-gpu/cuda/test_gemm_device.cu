// The matmul ladders on a GPU, if one answers: with whole numbers, whose sums are exact in any order, so that every
// number of every product must match to the last bit. For memory errors and races, run NVIDIA's compute-sanitizer by
// hand:
//
//   compute-sanitizer --tool memcheck build/tests/labs/03-gpu/cuda/test-03-gpu-device
//   compute-sanitizer --tool racecheck build/tests/labs/03-gpu/cuda/test-03-gpu-device
#include <doctest/doctest.h>

#include <cmath>

#include "03-gpu/kernels/cuda/bf16_gemm_rungs.cuh"
#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"
#include "common/cuda/device.cuh"
#include "common/random.hpp"
#include "has_device.hpp"

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

/// The number of wrong elements of the product. In b, adjacent elements of a row, and rows, are that far apart.
template <class Number, class Multiply>
int wrong_numbers(Multiply multiply, GemmShape shape, int b_step, int b_row) {
  const std::vector<int> a = whole_numbers(shape.m * shape.k, 1), b = whole_numbers(shape.k * shape.n, 2);
  const auto on_device = [](const std::vector<int>& numbers) {
    std::vector<Number> all;
    for (const int number : numbers) all.push_back(made(number, Number()));
    return all;
  };
  const cuda::DeviceArray<Number> device_a(on_device(a)), device_b(on_device(b));
  cuda::DeviceArray<Number> device_c(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n));
  multiply(shape, device_a.data(), device_b.data(), device_c.data());
  HF_CUDA(cudaGetLastError());
  HF_CUDA(cudaDeviceSynchronize());
  const std::vector<Number> c = device_c.to_host();
  int wrong = 0;
  for (int i = 0; i < shape.m; ++i) {
    for (int j = 0; j < shape.n; ++j) {
      int sum = 0;
      for (int p = 0; p < shape.k; ++p)
        sum += a[static_cast<std::size_t>(i * shape.k + p)] * b[static_cast<std::size_t>(p * b_row + j * b_step)];
      wrong += !same(c[static_cast<std::size_t>(i * shape.n + j)], sum);
    }
  }
  return wrong;
}

TEST_CASE("fp32, on the device" * doctest::skip(device_is_missing)) {
  for (const SgemmRung& rung : sgemm_rungs()) {
    for (const GemmShape& shape : {GemmShape{1, 4, 4}, {128, 256, 64}, {133, 260, 132}, {500, 700, 300}}) {
      CAPTURE(rung.label);
      CAPTURE(shape.m);
      CHECK(wrong_numbers<float>(rung.multiply, shape, 1, shape.n) == 0);
    }
  }
}

TEST_CASE("bf16, on the device" * doctest::skip(device_is_missing)) {
  std::vector<Bf16Rung> rungs = bf16_rungs();
  for (const Bf16Rung& rung : bf16_persistents()) rungs.push_back(rung);
  for (const Bf16Rung& rung : rungs) {
    if (rung.hopper && cuda::this_device().capability != 90) continue;
    for (const GemmShape& shape : {GemmShape{1, 8, 8}, {128, 256, 64}, {133, 264, 136}, {700, 1032, 1000}}) {
      CAPTURE(rung.label);
      CAPTURE(shape.m);
      CHECK(wrong_numbers<Bf16>(rung.multiply, shape, shape.k, 1) == 0);
    }
  }
}

}  // namespace
}  // namespace hf::gpu
