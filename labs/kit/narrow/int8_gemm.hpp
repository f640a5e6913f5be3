/// \file
/// A matrix product of 8-bit numbers on the matrix unit of a CPU: instructions that multiply four pairs of numbers and
/// add the products to a 32-bit sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "kit/narrow/narrow_strip.hpp"

namespace hf::tpu {

using Int8Strip = Strip<std::int32_t>;

/// One kernel, compiled for one instruction set.
struct Int8Kernel {
  const char* name;  ///< "AVX-512 VNNI", "AVX-VNNI", "NEON dot product"; "AVX2", "plain vectors" without a dot product
  const char* required;  ///< extensions that Machine::isa must list, separated by spaces; empty if none
  bool has_dot_product;  ///< whether one instruction computes dot products of 8-bit numbers

  std::size_t tile_rows, tile_columns;  ///< the tile of c that the registers hold
  std::size_t group;                    ///< numbers in 32 bits: 4, or 2 that were widened to 16 bits
  std::int32_t offset_of_a;             ///< the sums of a column of c start from this times the sum of b's column
  void (*multiply_strip)(const Int8Strip& strip);

  double peak_operations;  ///< operations in one iteration of peak(): a multiplication and an addition count as two
  /// Runs the dot instruction alone, in independent chains on registers: each iteration adds 4 a b to every sum.
  /// \return one of the sums
  std::int32_t (*peak)(std::int64_t iterations, std::uint8_t a, std::int8_t b);

  /// Computes c = a · b, all row-major without gaps; c must not overlap a or b. a (m, k) is unsigned, like activations
  /// after a ReLU; b (k, n) is signed, like weights; c (m, n). Exact as long as k < 2^16. Any of m, n, k may be 0.
  /// Packs b on every call; for weights used more than once, see PackedInt8.
  void multiply(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                std::int32_t* c) const;
};

/// Returns the kernels that this machine can run, fastest first; the last one runs everywhere.
std::vector<const Int8Kernel*> int8_kernels(const Machine& machine);

/// Weights in the order in which a kernel reads them: packed once, used by many products.
class PackedInt8 {
 public:
  /// Holds no weights until assign().
  PackedInt8() = default;

  /// \param b  (k, n), row-major without gaps
  PackedInt8(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b);

  /// Replaces the weights, in the same memory if it is large enough.
  void assign(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b);

  /// c = a · b as in Int8Kernel::multiply.
  void multiply(std::size_t m, const std::uint8_t* a, std::int32_t* c) const;

 private:
  const Int8Kernel* kernel_ = nullptr;
  std::size_t n_ = 0, k_ = 0;
  Buffer panels_;                     ///< tile_columns columns each, all rows, padded with zeros
  std::vector<std::int32_t> starts_;  ///< see Strip
};

/// Computes the same product by three plain loops with 64-bit sums.
std::vector<std::int64_t> plain_int8_product(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a,
                                             const std::int8_t* b);

}  // namespace hf::tpu
