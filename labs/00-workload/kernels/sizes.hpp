/// \file
/// The sizes of the networks: as published, or smaller if the machine lacks time or memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

struct Sizes {
  const char* name;  ///< of the transformer
  TransformerShape transformer;
  std::size_t prompt;           ///< tokens read at once
  std::size_t decoded;          ///< tokens generated after them, one by one
  std::size_t training_tokens;  ///< of the one sequence of a training step
  MlpShape mlp;
  std::size_t mlp_batch;
  ResnetShape resnet;

  /// FLOPs of all matrix products, with each pass run once.
  double flops() const;
  /// Bytes in use at the same time.
  std::uint64_t bytes() const;
};

/// The largest sizes that fit in memory and whose passes take at most `seconds` in total at that speed.
/// \param gflops  of the library's matrix product, GFLOP/s
Sizes choose_sizes(double gflops, double seconds, std::uint64_t memory_bytes);

}  // namespace hf::workload
