#include "bank_patterns_observed.hpp"

#include "03-gpu/kernels/emulator/cuda_words.hpp"
// The kernels are included after the definitions that they need.
#include <vector>

#include "../cuda/bank_patterns.cuh"

namespace hf::emulator {

std::vector<ObservedBanks> observed_banks() {
  std::vector<ObservedBanks> all;
  for (const gpu::BankPattern& pattern : gpu::bank_patterns)
    all.push_back({pattern.name, pattern.stores, pattern.wavefronts, pattern.numbers, pattern.run,
                   [&pattern](const float* result) { return gpu::is_right(pattern, result); }});
  return all;
}

}  // namespace hf::emulator
