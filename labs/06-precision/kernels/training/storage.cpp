#include "06-precision/kernels/training/storage.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "common/random.hpp"

namespace hf::precision {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
}

/// value_of(pattern_of(x)) with less in between, and without branches: the compiler makes vector instructions of it.
template <FloatLayout layout>
float nearest(float x) {
  constexpr int shift = 23 - layout.mantissa_bits;
  constexpr std::uint32_t below_half = (1u << (shift - 1)) - 1;
  constexpr float smallest_normal = power_of_two(1 - layout.bias()), largest = value_of<layout>(layout.largest());
  // From here to twice this, fp32's numbers are as far apart as the format's subnormals: adding it rounds.
  constexpr float subnormals = power_of_two(1 - layout.bias() + shift);
  const float size = std::fabs(x);
  const auto bits = std::bit_cast<std::uint32_t>(size);
  const auto normal = std::bit_cast<float>((bits + below_half + (bits >> shift & 1)) >> shift << shift);
  const float subnormal = (size + subnormals) - subnormals;
  float rounded = size < smallest_normal ? subnormal : normal;
  rounded = rounded > largest ? value_of<layout>(layout.largest() + 1) : rounded;
  return std::copysign(size <= infinity ? rounded : size, x);
}

float rounded(Storage storage, float x) {
  switch (storage) {
    case Storage::bf16: return from_bf16(bf16_of(x));
    case Storage::fp16: return nearest<fp16_layout>(x);
    case Storage::e4m3: return nearest<e4m3_layout>(x);
    case Storage::e5m2: return nearest<e5m2_layout>(x);
    default: return x;
  }
}

template <Storage storage>
void store_each(std::span<float> numbers) {
  for (float& x : numbers) x = rounded(storage, x);
}

}  // namespace

void store(Storage storage, std::span<float> numbers) {
  switch (storage) {
    case Storage::fp32: return;
    case Storage::bf16: return store_each<Storage::bf16>(numbers);
    case Storage::fp16: return store_each<Storage::fp16>(numbers);
    case Storage::e4m3: return store_each<Storage::e4m3>(numbers);
    case Storage::e5m2: return store_each<Storage::e5m2>(numbers);
  }
}

void store_at_random(std::span<float> numbers, std::uint64_t sequence) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto random = static_cast<std::uint32_t>(random_word(sequence, i) >> 32);
    const std::uint32_t pattern = stochastic_pattern_of<bf16_layout>(numbers[i], Overflow::special, random);
    numbers[i] = from_bf16(static_cast<std::uint16_t>(pattern));
  }
}

std::size_t count_lost(Storage storage, std::span<const float> numbers, float scale) {
  const auto is_lost = [=](float x) { return x != 0 && rounded(storage, scale * x) == 0; };
  return static_cast<std::size_t>(std::ranges::count_if(numbers, is_lost));
}

bool all_finite(std::span<const float> numbers) {
  std::uint32_t finite = 1;
  for (const float x : numbers) finite &= (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u;
  return finite != 0;
}

}  // namespace hf::precision
