/// \file
/// A matrix product of 8-bit numbers on the matrix unit of a CPU: instructions that multiply groups of four and add the
/// products to a 32-bit sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/machine.hpp"

namespace hf::tpu {

/// One kernel, compiled for one instruction set.
struct Int8Kernel {
  const char* name;  ///< "AVX-512 VNNI", "AVX-VNNI", "NEON dot product"; "AVX2", "plain vectors" without a dot product
  const char* required;  ///< what Machine::isa must list, separated by spaces; empty for what every machine has
  bool has_dot_product;  ///< of 8-bit numbers, as one instruction

  /// c = a · b, all row-major without gaps, c apart from the others. a (m, k) unsigned, as activations after a ReLU are;
  /// b (k, n) signed, as weights are; c (m, n). Exact as long as k < 2^16. Any of m, n, k may be 0.
  void (*multiply)(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                   std::int32_t* c);

  double peak_operations;  ///< of one iteration of peak(), a multiplication and an addition counted as two
  /// The dot instruction alone, in independent chains on registers: adds 4 a b to every sum, so many times.
  /// \return one of the sums
  std::int32_t (*peak)(std::int64_t iterations, std::uint8_t a, std::int8_t b);
};

/// The kernels that this machine can run, the fastest first; the last one runs everywhere.
std::vector<const Int8Kernel*> int8_kernels(const Machine& machine);

/// The same product by three plain loops, 64 bits wide.
std::vector<std::int64_t> plain_int8_product(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a,
                                             const std::int8_t* b);

}  // namespace hf::tpu
