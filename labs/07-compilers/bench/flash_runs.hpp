/// \file
/// Attention with and without its matrix, checked and timed side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {

constexpr std::size_t head_width = 64;  ///< d of what is timed

/// Where the code runs: the variants of all threads end in " all".
enum class On { one_thread, all_threads };

/// What one number of tokens showed. The variants are "flash", "naive" and "peak", each on one thread and on all; at 4096
/// tokens, on one thread, "chapter 02" (its gemm_attention()) and "flash rising", whose scores grow from key to key, so that
/// every block of keys is rescaled; where there is PyTorch, "torch".
struct AttentionHeat {
  std::size_t tokens;
  Sampling sampling;
  double flops;                          ///< of one attention
  double peak_flops, all_peak_flops;     ///< of one call of "peak"
  FlashCounts counts = {};               ///< of flash_attention() on one thread
  FlashCounts rising_counts = {};        ///< and of "flash rising", where that was timed
  std::vector<std::string> absent = {};  ///< variants that were not there to the end

  bool has(const std::string& id) const;
  Estimate gflops(const std::string& id) const;
  /// How many times the speed of another a variant has. \pre both are there
  Estimate speed_ratio(const std::string& id, const std::string& other) const;
};

/// "flash all" for all threads.
std::string variant_id(const std::string& id, On on);

/// Numbers of tokens; what a machine with such a peak would take too long for is left out, with a note.
std::vector<std::size_t> attention_tokens(Lab& lab, double peak_gflops);

/// Checks each way, then times them within so many seconds. What does not fit into memory is left out, with a note.
/// \throws std::runtime_error for a wrong result
AttentionHeat race_attention(Lab& lab, std::size_t tokens, double seconds);

/// How often, for a query among so many tokens, a score is higher than all before it: each sample is the mean of some queries.
Estimate new_highs_per_query(std::size_t tokens);

/// Bytes that attention makes resident, its operands among them, for so many tokens on one thread: measured several
/// times. Nothing where the system does not tell, or there is too little memory.
std::optional<Estimate> flash_resident_bytes(std::size_t tokens);
std::optional<Estimate> naive_resident_bytes(std::size_t tokens);

}  // namespace hf::compilers
