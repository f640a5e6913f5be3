/// \file
/// What attention moves and computes, by counting, and how long that should take.
#pragma once

#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

/// Vector instructions that each score costs beside its products, by counting those of the kernels: for the highest, for
/// the exponential, for the sum. Each takes the place of a multiply-add, which is two FLOPs.
double flash_instructions_per_score();
double softmax_instructions_per_score();

/// Of flash_attention(): the operands once. The softmax's instructions are among the FLOPs.
Work flash_work(const Head& head);

/// Of NaiveAttention's parts, where the scores do not stay in a cache: the first product writes them, for which each line
/// is read; the softmax reads and writes them; the second product reads them.
struct NaiveWork {
  Work keys, softmax, values;

  double traffic() const { return keys.traffic() + softmax.traffic() + values.traffic(); }
};
NaiveWork naive_work(const Head& head);

/// Seconds that a roofline allows, one part after the other.
double predicted_seconds(const Roofline& roof, const NaiveWork& work);

}  // namespace hf::compilers
