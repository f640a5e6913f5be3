/// \file
/// The patterns of bank_patterns.cuh on the emulator.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace hf::emulator {

struct ObservedBanks {
  const char* name;
  bool stores;               ///< which the pattern is about
  std::uint64_t wavefronts;  ///< as the table says
  int numbers;               ///< for each lane
  void (*run)(float* to);    ///< to (lanes, numbers), in global memory
  std::function<bool(const float* result)> is_right;
};

std::vector<ObservedBanks> observed_banks();

}  // namespace hf::emulator
