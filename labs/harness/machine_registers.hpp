/// \file
/// What the processor says about itself, without the help of the operating system's files.
#pragma once

#if defined(__x86_64__)

#include <cpuid.h>

#include <array>
#include <cstdint>

namespace hf {

/// Registers eax, ebx, ecx, edx of a cpuid leaf; zeros where the processor has no such leaf.
inline std::array<unsigned, 4> cpuid(unsigned leaf, unsigned subleaf) {
  std::array<unsigned, 4> registers{};
  __get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]);
  return registers;
}

/// XCR0: the register states that the operating system saves; 0 where xgetbv cannot be used.
inline std::uint64_t saved_states() {
  if ((cpuid(1, 0)[2] >> 27 & 1) == 0) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

}  // namespace hf

#endif
