// Weights times vectors on a GPU, if one answers: the cases of test_gemv.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "03-gpu/bench/cuda/reads.cuh"
#include "03-gpu/kernels/cuda/gemv.cuh"
#include "gemv_cases.hpp"
#include "has_device.hpp"
#include "kit/cuda/device.cuh"

namespace hf::gpu {
namespace {

/// y; the guards behind it must be unchanged.
template <class Weights, int batch>
std::vector<float> product(const GemvCase<Weights>& on) {
  const cuda::DeviceArray<std::uint8_t> numbers(on.numbers);
  const cuda::DeviceArray<float> row_scales(on.row_scales);
  const cuda::DeviceArray<Bf16> piece_scales(on.piece_scales), x(on.x);
  const auto size = static_cast<std::size_t>(on.rows * batch);
  cuda::DeviceArray<float> y(size + 8);
  gemv<Weights, batch>({on.rows, on.columns, numbers.data(), row_scales.data(), piece_scales.data()}, x.data(),
                       y.data());
  cuda::finish("gemv");
  std::vector<float> found = y.to_host();
  CHECK(std::all_of(found.begin() + on.rows * batch, found.end(), [](float guard) { return std::isnan(guard); }));
  found.resize(size);
  return found;
}

template <class Weights, int batch>
void check(int rows, int columns) {
  CAPTURE(rows);
  CAPTURE(columns);
  CAPTURE(batch);
  const GemvCase<Weights> random(rows, columns, batch, false), whole(rows, columns, batch, true);
  CHECK(random.worst(product<Weights, batch>(random)) <= 1);
  CHECK(whole.wrong(product<Weights, batch>(whole)) == 0);
}

template <class Weights>
void check_all() {
  constexpr int piece = Weights::numbers;
  check<Weights, 1>(1, piece);
  check<Weights, 1>(37, 33 * piece);
  check<Weights, 4>(1001, 65 * piece);
  check<Weights, 16>(3, 40 * piece);
  check<Weights, 64>(130, 34 * piece);
}

TEST_CASE("weights times vectors, on the device" * doctest::skip(device_is_missing)) {
  check_all<Bf16Weights>();
  check_all<E4m3Weights>();
  check_all<FourBitWeights>();
}

TEST_CASE("every word is read, as often as asked" * doctest::skip(device_is_missing)) {
  for (const std::size_t tiles : {1, 37, 5000}) {
    Reads reads(cuda::this_device(), tiles * read_tile * sizeof(uint4));
    for (const unsigned times : {1u, 2u, 7u}) CHECK_NOTHROW(reads.check(times));
  }
}

}  // namespace
}  // namespace hf::gpu
