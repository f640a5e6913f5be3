/// \file
/// Attention with and without its matrix of scores: the kernels, and what each computes, moves and allocates.
#pragma once

#include <cstddef>
#include <span>

#include "harness/measure/memory.hpp"
#include "kit/work.hpp"

namespace hf::compilers {

/// One head of attention, softmax(q · kᵀ / √d) · v, in fp32. q and the result are (queries, d), k and v (keys, d),
/// row-major.
struct Head {
  std::size_t queries, keys, d;  ///< keys and d at least 1
  bool causal = false;  ///< the last query sees all keys, each query before it one key fewer; needs keys ≥ queries

  /// Returns how many keys query i sees.
  std::size_t visible(std::size_t i) const { return causal ? keys - queries + i + 1 : keys; }
  /// Number of weights of all queries, without those of hidden keys.
  double weights() const;
  /// FLOPs of the two products, 4 · d for each weight, without the softmax.
  double flops() const { return 4 * weights() * static_cast<double>(d); }
};

// ---- With its matrix ----

/// Attention operator by operator, each as fast as we can make it: the product of chapter 02, and a softmax in the
/// widest vector registers. The scores of all tokens are in memory. Runs on all cores, or on one within the scope of a
/// OneCore.
class NaiveAttention {
 public:
  /// \param head  not causal \throws OutOfMemory
  explicit NaiveAttention(const Head& head);

  void run(const float* q, const float* k, const float* v, float* out);

  /// Bytes that it needs in addition to the operands.
  static std::size_t scratch_bytes(const Head& head) { return sizeof(float) * head.keys * (head.queries + head.d); }

 private:
  void multiply_keys(const float* q, const float* k);
  void softmax();
  void multiply_values(const float* v, float* out);

  Head head_;
  Buffer memory_;
  float *keys_, *scores_;  ///< (d, keys), transposed and scaled; (queries, keys), later overwritten by weights
};

/// Work of the three parts if the scores do not stay in a cache: the first product writes them, which also reads each
/// line; the softmax reads and writes them; the second product reads them.
struct NaiveWork {
  Work keys, softmax, values;

  double traffic() const { return keys.traffic() + softmax.traffic() + values.traffic(); }
};
NaiveWork naive_work(const Head& head);

/// Returns the seconds that a roofline predicts for the three parts, one after the other.
double predicted_seconds(const Roofline& roof, const NaiveWork& work);

// ---- Without ----

/// Computes the attention of query i, one key after the other, in fp64: the plainest form of the recurrence that makes
/// attention without its matrix possible. Its memory does not grow with the number of keys.
/// \param out  d long
/// \return how many scores were higher than all before them, including the first
std::size_t online_attention(const Head& head, const float* q, const float* k, const float* v, std::size_t i,
                             std::span<double> out);

/// Returns how many of n random scores are higher than all before them, on average: the j-th is with probability 1/j.
double expected_new_highs(std::size_t n);

/// Counts from a run of flash_attention().
struct FlashCounts {
  std::size_t blocks = 0;      ///< blocks of queries
  std::size_t rescalings = 0;  ///< how often a block was rescaled, over all blocks
};

/// Computes the attention of one head, on all cores, or on one within the scope of a OneCore. Takes keys and values a
/// block at a time, and rescales the sums so far when a higher score comes (the online softmax: Milakov and Gimelshein,
/// 2018; Dao et al., 2022). For finite inputs whose scores are below 10³⁰.
FlashCounts flash_attention(const Head& head, const float* q, const float* k, const float* v, float* out);

/// Returns the bytes that a thread needs in addition to the operands, for any number of tokens.
std::size_t flash_scratch_bytes(std::size_t d);

/// Counts each operand once, and the softmax's instructions as FLOPs.
Work flash_work(const Head& head);

// Vector instructions for each score in addition to the products, counted in the kernels: for the maximum, the
// exponential and the sum. Each takes the place of a multiply-add, so it counts as two FLOPs.
double flash_instructions_per_score();
double softmax_instructions_per_score();  ///< with the matrix: also the division by the sum

}  // namespace hf::compilers
