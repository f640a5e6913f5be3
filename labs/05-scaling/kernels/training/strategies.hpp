/// \file
/// The strategies: all ways to train, by name, with what must travel in each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// What is trained.
struct Problem {
  NetworkShape shape;
  std::size_t rows;     ///< of a batch
  int micros;           ///< micro-batches of a pipeline
  std::size_t experts;  ///< of a block, where there are experts
};

struct Strategy {
  const char *id, *name;
  bool has_experts;  ///< trains a network of its own: one with experts
  std::unique_ptr<Trainer> (*make)(Transport& ranks, const Problem& problem);
  /// Bytes that all ranks together send in a step, on paper.
  double (*bytes)(const Problem& problem, const Batch& batch, int ranks);
};

std::span<const Strategy> strategies();

/// \throws std::out_of_range for an id that is none
const Strategy& strategy(const char* id);

/// Bytes that all ranks together send in a step, counted on as many ranks that are threads.
double count_bytes(const Strategy& strategy, const Problem& problem, const Batch& batch, int ranks);

}  // namespace hf::scaling
