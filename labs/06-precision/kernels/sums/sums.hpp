/// \file
/// Ways to add up many numbers, and how far from the truth each may end. All of them take any number of terms, none
/// included. With u the unit roundoff of the accumulator and A = Σ |x|, the error is at most
///
///     one chain        (n − 1) u A          Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2
///     pairwise         log₂(n) u A          the same
///     compensated      u |Σ x| + n² u² A    Ogita, Rump and Oishi, Accurate sum and dot product, 2005, proposition 4.5
///
/// to first order in u.
#pragma once

#include <array>
#include <span>

#include "harness/measure/threads.hpp"

namespace hf::precision {

/// One accumulator in fp32, term after term: the loop as it is written.
float naive_sum(std::span<const float> x);

/// Many accumulators side by side, as vector registers have them, added in the end: terms per chain are n / chains.
float chained_sum(std::span<const float> x);

/// The sum of the first half and the sum of the second half, and so on down to blocks that chained_sum() adds.
float pairwise_sum(std::span<const float> x);

/// Kahan's compensated sum as Neumaier mended it: what each addition rounds off is exact in fp32, and is added up
/// beside the sum. In as many chains as chained_sum() has.
float chained_compensated_sum(std::span<const float> x);

/// Accumulators in fp64, side by side; rounded to fp32 once, in the end.
float wide_sum(std::span<const float> x);

/// One accumulator in bf16 or fp16, rounded after each addition. fp32 has more than twice their digits and two more, so
/// adding there and then rounding gives what an adder of their own would (Figueroa, When is double rounding innocuous?,
/// 1995). \p x must be numbers of that format.
float bf16_sum(std::span<const float> x);
float fp16_sum(std::span<const float> x);

/// One accumulator in bf16 that rounds up or down by chance, in proportion to what is cut off.
float stochastic_bf16_sum(std::span<const float> x);

/// The sum, with an error of a few units in fp64's last place: what the others are held against.
double reference_sum(std::span<const float> x);

/// Threads fetch blocks of the terms as they get to them, and add each block's sum to one total: fast, and in an order
/// that nobody decides.
float sum_as_they_come(Team& team, std::span<const float> terms);

/// One of the ways above.
struct SumVariant {
  const char* id;
  const char* label;
  float (*sum)(std::span<const float> x);
  const char* error_id = nullptr;  ///< of its curve in the record
};

/// In fp32 or wider, on the processor's own adders.
constexpr std::array sum_variants = std::to_array<SumVariant>({
    {"naive", "one chain", naive_sum, "sum_error_naive"},
    {"chained", "many chains", chained_sum, "sum_error_chained"},
    {"pairwise", "pairwise", pairwise_sum, "sum_error_pairwise"},
    {"kahan", "Kahan", chained_compensated_sum, "sum_error_kahan"},
    {"wide", "fp64 accumulator", wide_sum, "sum_error_wide"},
});

/// In bf16, which is emulated.
constexpr std::array bf16_sum_variants = std::to_array<SumVariant>({
    {"bf16", "bf16", bf16_sum, "sum_error_bf16"},
    {"bf16_stochastic", "bf16, stochastic", stochastic_bf16_sum, "sum_error_bf16_stochastic"},
});

}  // namespace hf::precision
