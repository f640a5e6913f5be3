/// \file
/// The flat roofs of narrow numbers: instructions that multiply short vectors of bf16 or int8 and add the products to
/// 32-bit sums.
#pragma once

#include <cstdint>

namespace hf::roofline {

/// A loop of independent dot-product instructions.
struct DotProductLoop {
  const char* label;     ///< "bf16", "int8"
  const char* required;  ///< machine::isa must contain it
  double operations;     ///< per iteration, a multiplication and an addition counted as two
  int products;          ///< the number of products added to each 32-bit sum per iteration

  /// Adds `products` times a · b to every 32-bit sum of every register, `iterations` times.
  /// \param a, b  whole numbers from 0 to 127; every element of the inputs has this value
  /// \return one sum of the first register
  double (*run)(std::int64_t iterations, int a, int b);
};

#if defined(__x86_64__) || defined(__aarch64__)
extern const DotProductLoop bf16_loop, int8_loop;
#endif

}  // namespace hf::roofline
