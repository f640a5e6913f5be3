/// \file
/// Writing one token, timed: for many readers at once, and with or without what was computed before.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "harness/lab.hpp"
#include "harness/roof_runs.hpp"

namespace hf::workload {

/// Tokens that each reader of a batch has before.
constexpr std::size_t batch_context = 32;

/// 1, 2, 4… readers: as many as the budget and the memory of this machine allow.
std::vector<std::size_t> batch_sizes(const Lab& lab, const TransformerShape& shape);

/// FLOPs of one token for one reader, counted by running it.
double flops_of_token(const Transformer& model);

/// Seconds for one token for each of so many readers; variants are named by their number: "16". And the roofs. In the
/// present step of the lab, interleaved. \throws OutOfMemory
Sampling time_batches(const Lab& lab, const Transformer& model, const std::vector<std::size_t>& sizes, RoofRuns& roofs);

/// How long a text is when its last token is timed: the longest that the model and the budget allow, its half, and so on.
std::vector<std::size_t> text_lengths(const Lab& lab, const TransformerShape& shape);

/// Seconds for the last of so many tokens: "with 512" from the cache, "without 512" by running all of them. And the
/// roofs. In the present step of the lab, interleaved.
/// \param text  at least as many tokens as the largest of the lengths
/// \throws OutOfMemory
Sampling time_kv_cache(const Lab& lab, const Transformer& model, std::span<const int> text,
                       const std::vector<std::size_t>& lengths, RoofRuns& roofs);

}  // namespace hf::workload
