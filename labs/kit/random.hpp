/// \file
/// Random inputs: no value can be predicted, no multiplication is by zero, and every run gets the same numbers.
///
/// Every number depends only on its sequence and its index, so each thread, on the host or on a device, can make its
/// own part, and a check can compute any number again. The function is SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014): its state is a counter, so it can start anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hf {

/// 64 random bits: output 2^40 · sequence + index of SplitMix64 with the seed 0. Sequences do not overlap.
/// \param sequence  below 2^24
/// \param index  below 2^40
constexpr std::uint64_t random_word(std::uint64_t sequence, std::uint64_t index) {
  std::uint64_t x = ((sequence << 40) + index + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A whole number in [0, below). \param below  1 … 2^32
constexpr std::uint64_t random_below(std::uint64_t sequence, std::uint64_t index, std::uint64_t below) {
  return (random_word(sequence, index) >> 32) * below >> 32;
}

/// Uniform in [−1, 1), a multiple of 2^-23, so that sums and products of a few numbers are never denormal; denormals
/// are 40 times slower on some machines.
constexpr float random_number(std::uint64_t sequence, std::uint64_t index) {
  return static_cast<float>(static_cast<std::int32_t>(random_word(sequence, index) >> 40) - (1 << 23)) * 0x1p-23f;
}

/// to[i] = middle + spread · random_number(sequence, i)
void fill_random(std::span<float> to, std::uint64_t sequence, float spread = 1, float middle = 0);

/// An array that has an address even if empty, since kernels add offsets to the address.
template <class Number>
std::vector<Number> array_of(std::size_t count) {
  std::vector<Number> numbers(count);
  if (numbers.empty()) numbers.reserve(1);
  return numbers;
}

/// An array of `count` numbers from fill_random() around 0.
std::vector<float> random_floats(std::size_t count, std::uint64_t sequence, float spread = 1);

/// to[i] = random_below(sequence, i, below)
void fill_random(std::span<int> to, std::uint64_t sequence, int below);

/// Random numbers over the whole range of an 8-bit type.
template <class Byte>
std::vector<Byte> random_bytes(std::size_t count, std::uint64_t sequence) {
  static_assert(sizeof(Byte) == 1);
  std::vector<Byte> numbers = array_of<Byte>(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<Byte>(random_word(sequence, i) >> 56);
  return numbers;
}

}  // namespace hf
