/// \file
/// Attention operator by operator, each as fast as we can make it: the product of chapter 02, a softmax in registers as
/// wide as there are. The scores of all tokens lie in memory.
#pragma once

#include <cstddef>

#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "harness/memory.hpp"

namespace hf::compilers {

/// One head, and the memory for its scores. On all cores or, where there is a OneCore, on one.
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

}  // namespace hf::compilers
