/// \file
/// How large the networks are: as they are known, or smaller where a machine has not the time or the memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/transformer.hpp"

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

  /// FLOPs of one pass of everything, in matrix products.
  double flops() const;
  /// Bytes that are held at the same time.
  std::uint64_t bytes() const;
};

/// The largest sizes whose passes take at most `seconds` in all at that speed, and fit.
/// \param gflops  of the library's matrix product, GFLOP/s
Sizes choose_sizes(double gflops, double seconds, std::uint64_t memory_bytes);

}  // namespace hf::workload
