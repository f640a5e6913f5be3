/// \file
/// Attention without its matrix: keys and values are taken a block at a time, and what was summed before is rescaled when
/// a higher score comes (the online softmax: Milakov and Gimelshein, 2018; Dao et al., 2022).
#pragma once

#include <cstddef>

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

/// How flash_attention() goes through a head.
struct FlashBlocks {
  std::size_t queries, keys,
      chunk;  ///< queries that share the keys from the level-2 cache; keys there; keys in level 1
};
FlashBlocks flash_blocks(std::size_t d);

/// Bytes of memory that a thread needs beside the operands, whatever the number of tokens.
std::size_t flash_scratch_bytes(std::size_t d);

/// What happened on the way.
struct FlashCounts {
  std::size_t blocks = 0;      ///< of queries
  std::size_t rescalings = 0;  ///< of one of them
};

/// The attention of one head, on all cores or, where there is a OneCore, on one. For finite inputs whose scores
/// are below 10³⁰.
FlashCounts flash_attention(const Head& head, const float* q, const float* k, const float* v, float* out);

}  // namespace hf::compilers
