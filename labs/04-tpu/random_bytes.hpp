/// \file
/// Operands of 8 bits: random, so that no multiplication is by zero more often than chance has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace hf::tpu {

/// Numbers over the whole range of the type, the same for the same seed.
template <class Byte>
std::vector<Byte> random_bytes(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<Byte> numbers(count);
  for (Byte& each : numbers) each = static_cast<Byte>(generator() >> 24);
  return numbers;
}

}  // namespace hf::tpu
