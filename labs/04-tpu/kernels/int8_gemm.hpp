/// \file
/// A matrix product of 8-bit numbers on the matrix unit of a CPU: instructions that multiply groups of four and add the
/// products to a 32-bit sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "04-tpu/kernels/narrow_strip.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"

namespace hf::tpu {

using Int8Strip = Strip<std::int32_t>;

/// One kernel, compiled for one instruction set.
struct Int8Kernel {
  const char* name;  ///< "AVX-512 VNNI", "AVX-VNNI", "NEON dot product"; "AVX2", "plain vectors" without a dot product
  const char* required;  ///< what Machine::isa must list, separated by spaces; empty for what every machine has
  bool has_dot_product;  ///< of 8-bit numbers, as one instruction

  std::size_t tile_rows, tile_columns;  ///< of c: what its registers hold
  std::size_t group;                    ///< numbers in 32 bits: 4, or 2 that were widened to 16 bits
  std::int32_t offset_of_a;             ///< the sums of a column of c start from the sum of b's column, so many times
  void (*multiply_strip)(const Int8Strip& strip);

  double peak_operations;  ///< of one iteration of peak(), a multiplication and an addition counted as two
  /// The dot instruction alone, in independent chains on registers: adds 4 a b to every sum, so many times.
  /// \return one of the sums
  std::int32_t (*peak)(std::int64_t iterations, std::uint8_t a, std::int8_t b);

  /// c = a · b, all row-major without gaps, c apart from the others. a (m, k) unsigned, as activations after a ReLU are;
  /// b (k, n) signed, as weights are; c (m, n). Exact as long as k < 2^16. Any of m, n, k may be 0.
  /// Packs b each time: see PackedInt8 for weights that stay.
  void multiply(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                std::int32_t* c) const;
};

/// The kernels that this machine can run, the fastest first; the last one runs everywhere.
std::vector<const Int8Kernel*> int8_kernels(const Machine& machine);

/// Weights in the order in which a kernel reads them: packed once, used by many products.
class PackedInt8 {
 public:
  /// No weights; assign() some.
  PackedInt8() = default;

  /// \param b  (k, n), row-major without gaps
  PackedInt8(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b);

  /// Other weights, in the memory of the present ones where it suffices.
  void assign(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b);

  /// c = a · b as in Int8Kernel::multiply.
  /// \param threads  of OpenMP; they share the rows, or the columns where there are many more of those
  void multiply(std::size_t m, const std::uint8_t* a, std::int32_t* c, int threads = 1) const;

 private:
  const Int8Kernel* kernel_ = nullptr;
  std::size_t n_ = 0, k_ = 0;
  Buffer panels_;                     ///< of tile_columns columns each and all rows; zeros where b ends
  std::vector<std::int32_t> starts_;  ///< see Strip
};

/// The same product by three plain loops, 64 bits wide.
std::vector<std::int64_t> plain_int8_product(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a,
                                             const std::int8_t* b);

}  // namespace hf::tpu
