/// \file
/// Attention with its matrix of scores and without: what each computes, moves and needs memory for.
#pragma once

#include <cstddef>
#include <span>

#include "harness/measure/memory.hpp"
#include "harness/measure/work.hpp"

namespace hf::compilers {

/// One head of attention: softmax(q · kᵀ / √d) · v, q and the result (queries, d), k and v (keys, d), row-major, in fp32.
struct Head {
  std::size_t queries, keys, d;  ///< keys and d at least 1
  bool causal = false;  ///< the last query sees all keys, each one before it one key less; needs keys ≥ queries

  /// How many keys query i sees.
  std::size_t visible(std::size_t i) const { return causal ? keys - queries + i + 1 : keys; }
  /// Weights of all queries, those of hidden keys apart.
  double weights() const;
  /// Of the two products, 4 · d for each weight; the softmax is not counted.
  double flops() const { return 4 * weights() * static_cast<double>(d); }
};

// ---- With its matrix ----

/// Attention operator by operator, each as fast as we can make it: the product of chapter 02, a softmax in registers as
/// wide as there are. The scores of all tokens lie in memory. On all cores or, where there is a OneCore, on one.
class NaiveAttention {
 public:
  /// \param head  not causal \throws OutOfMemory
  explicit NaiveAttention(const Head& head);

  void run(const float* q, const float* k, const float* v, float* out);

  /// What it needs beside the operands.
  static std::size_t scratch_bytes(const Head& head) { return sizeof(float) * head.keys * (head.queries + head.d); }

 private:
  void multiply_keys(const float* q, const float* k);
  void softmax();
  void multiply_values(const float* v, float* out);

  Head head_;
  Buffer memory_;
  float *keys_, *scores_;  ///< (d, keys), transposed and scaled; (queries, keys), and then their weights
};

/// Of its parts, where the scores do not stay in a cache: the first product writes them, for which each line is read; the
/// softmax reads and writes them; the second product reads them.
struct NaiveWork {
  Work keys, softmax, values;

  double traffic() const { return keys.traffic() + softmax.traffic() + values.traffic(); }
};
NaiveWork naive_work(const Head& head);

/// Seconds that a roofline allows, one part after the other.
double predicted_seconds(const Roofline& roof, const NaiveWork& work);

// ---- Without ----

/// The recurrence that makes attention without its matrix possible, in its plainest form: the attention of query i, one key
/// after the other, in fp64. Nothing grows with the number of keys.
/// \param out  d long
/// \return how often a score was higher than all before it, the first among them
std::size_t online_attention(const Head& head, const float* q, const float* k, const float* v, std::size_t i,
                             std::span<double> out);

/// How many of n random scores are higher than all before them, on average: the j-th with the probability 1/j.
double expected_new_highs(std::size_t n);

/// What happened on the way.
struct FlashCounts {
  std::size_t blocks = 0;      ///< of queries
  std::size_t rescalings = 0;  ///< of one of them
};

/// The attention of one head, on all cores or, where there is a OneCore, on one: keys and values are taken a block at a time,
/// and what was summed before is rescaled when a higher score comes (the online softmax: Milakov and Gimelshein, 2018; Dao et
/// al., 2022). For finite inputs whose scores are below 10³⁰.
FlashCounts flash_attention(const Head& head, const float* q, const float* k, const float* v, float* out);

/// Bytes of memory that a thread needs beside the operands, whatever the number of tokens.
std::size_t flash_scratch_bytes(std::size_t d);

/// The operands once. The softmax's instructions are among the FLOPs.
Work flash_work(const Head& head);

// Vector instructions that each score costs beside its products, by counting those of the kernels: for the highest, for
// the exponential, for the sum. Each takes the place of a multiply-add, which is two FLOPs.
double flash_instructions_per_score();
double softmax_instructions_per_score();  ///< with its matrix: a division by the sum too

}  // namespace hf::compilers
