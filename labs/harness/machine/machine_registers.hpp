/// \file
/// What the processor's registers report, without the operating system's files.
#pragma once

#if defined(__x86_64__)

#include <cpuid.h>

#include <array>
#include <cstdint>
#include <string>

namespace hf {

/// Registers eax, ebx, ecx, edx of a cpuid leaf; zeros if the processor has no such leaf.
inline std::array<unsigned, 4> cpuid(unsigned leaf, unsigned subleaf) {
  std::array<unsigned, 4> registers{};
  __get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]);
  return registers;
}

/// The maker's name in twelve characters: "GenuineIntel", "AuthenticAMD".
inline std::string vendor_signature() {
  const auto [last_leaf, first, last, middle] = cpuid(0, 0);
  const std::array<unsigned, 3> words = {first, middle, last};
  return {reinterpret_cast<const char*>(words.data()), sizeof words};
}

/// XCR0: the register states that the operating system saves; 0 if xgetbv cannot be used.
inline std::uint64_t saved_states() {
  if ((cpuid(1, 0)[2] >> 27 & 1) == 0) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

/// True if the bit reserved for hypervisors is set.
inline bool has_hypervisor() { return (cpuid(1, 0)[2] >> 31 & 1) != 0; }

/// The name of the hypervisor or emulator in twelve characters; empty without one. cpuid() cannot read its leaf, which
/// lies outside the processor's own range.
inline std::string hypervisor_signature() {
  if (!has_hypervisor()) return "";
  std::array<unsigned, 3> words{};
  unsigned last_leaf = 0;
  __cpuid(0x40000000, last_leaf, words[0], words[1], words[2]);
  return {reinterpret_cast<const char*>(words.data()), sizeof words};
}

}  // namespace hf

#endif
