/// \file
/// What numbers lose when they are written to memory in 16 or 8 bits. They stay in arrays of fp32, but each becomes one
/// that the format has: products of those, exact in fp32 and added in fp32, are what a matrix unit computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hf::precision {

enum class Storage { fp32, bf16, fp16, e4m3, e5m2 };

constexpr int bits(Storage storage) { return storage == Storage::fp32 ? 32 : storage <= Storage::fp16 ? 16 : 8; }

/// Rounds each number to the nearest that the format has, ties to even. Beyond the largest it becomes infinite, or NaN
/// where there is no infinity.
void store(Storage storage, std::span<float> numbers);

/// Rounds each number to bf16, up or down at random, so that on average it stays what it was.
/// \param sequence  of random numbers (common/random.hpp)
void store_at_random(std::span<float> numbers, std::uint64_t sequence);

/// How many of the numbers, each multiplied by `scale`, are not zero, but become zero when stored.
std::size_t count_lost(Storage storage, std::span<const float> numbers, float scale = 1);

/// Whether all are numbers: neither infinite nor NaN.
bool all_finite(std::span<const float> numbers);

}  // namespace hf::precision
