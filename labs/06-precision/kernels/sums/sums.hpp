/// \file
/// Ways to add up many numbers, and bounds on their errors. All accept any number of terms, including none. With u the
/// unit roundoff of the accumulator and A = Σ |x|, the error is at most
///
///     one chain      (n − 1) u A          Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2
///     pairwise       log₂(n) u A          the same
///
/// to first order in u.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace hf::precision {

/// Adds term after term to one accumulator in fp32: the plain loop.
float naive_sum(std::span<const float> x);

/// Adds to many accumulators, in the lanes of vector registers, and adds those up at the end. Each has n / chains
/// terms.
float chained_sum(std::span<const float> x);

/// Adds the sums of the two halves, recursively, down to blocks that chained_sum() adds.
float pairwise_sum(std::span<const float> x);

/// Adds each of some parts of about equal size in one chain, as cores or units side by side would, and then their sums.
/// \pre parts is at least 1
float sum_in_parts(std::span<const float> x, std::size_t parts);

/// Adds to many accumulators in fp64, and rounds to fp32 once, at the end.
float wide_sum(std::span<const float> x);

/// One accumulator in bf16 or fp16, rounded after each addition. These formats have p = 8 and 11 digits. fp32 has 24,
/// at least 2p + 2, so adding in fp32 and then rounding gives the same result as a native adder (Figueroa, When is
/// double rounding innocuous?, 1995). \pre x are numbers of that format
float bf16_sum(std::span<const float> x);
float fp16_sum(std::span<const float> x);

/// One accumulator in bf16 with stochastic rounding: the probability of rounding up is the cut-off part, in units of
/// the last place.
float stochastic_bf16_sum(std::span<const float> x);

/// The reference for all other sums: Kahan's compensated sum in Neumaier's version, in fp64, correct to a few units in
/// the last place.
double reference_sum(std::span<const float> x);

/// One of the ways above.
struct SumVariant {
  const char* id;
  const char* label;
  float (*sum)(std::span<const float> x);
  const char* error_id = nullptr;  ///< of its error curve in the record
};

/// Sums in fp32 or wider, which the processor adds natively.
constexpr std::array sum_variants = std::to_array<SumVariant>({
    {"naive", "one chain", naive_sum, "sum_error_naive"},
    {"chained", "many chains", chained_sum, "sum_error_chained"},
    {"pairwise", "pairwise", pairwise_sum, "sum_error_pairwise"},
    {"wide", "fp64 accumulator", wide_sum, "sum_error_wide"},
});

/// Sums in bf16, which is emulated.
constexpr std::array bf16_sum_variants = std::to_array<SumVariant>({
    {"bf16", "bf16", bf16_sum, "sum_error_bf16"},
    {"bf16_stochastic", "bf16, stochastic", stochastic_bf16_sum, "sum_error_bf16_stochastic"},
});

}  // namespace hf::precision
