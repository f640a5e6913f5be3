/// \file
/// Identifies a processor's core, which its brand name does not: two machines called "AMD EPYC" can differ in speed by
/// a factor of two.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hf {

/// The core as the processor reports it. Fields that it doesn't report are empty.
struct Core {
  std::optional<int> family;      ///< x86: with the extended family added, as the kernel does: 26 for Zen 5
  std::optional<int> model;       ///< x86: with the extended model; Arm: the variant, the n of rnpm
  std::optional<int> stepping;    ///< x86: the stepping; Arm: the revision, the m of rnpm
  std::string implementer;        ///< Arm: the maker, "0x41" for Arm itself
  std::string part;               ///< Arm: the maker's number for the core, "0xd0c"
  std::string microarchitecture;  ///< "Zen 5", "Sapphire Rapids", "Neoverse N1"; empty when unknown

  /// "family 26 model 2 stepping 1", "implementer 0x41 part 0xd0c r3p1"; empty when nothing is known.
  std::string text() const;
};

/// \param vendor  the twelve characters of cpuid leaf 0: "GenuineIntel", "AuthenticAMD"
/// \param signature  register eax of cpuid leaf 1
Core x86_core(std::string_view vendor, std::uint32_t signature);

/// \param midr  the main identification register, MIDR_EL1; 0 when it cannot be read
Core arm_core(std::uint64_t midr);

/// A name for an Arm processor, which has none in its registers: "Arm Neoverse N1", "Ampere part 0xac3"; for midr 0
/// "AArch64 processor".
std::string arm_name(std::uint64_t midr);

/// The main identification register of one logical processor, as the kernel reports it in /sys or, field by field, in
/// /proc/cpuinfo.
/// \param root  replaces "/" in tests
/// \return 0 when neither is available
std::uint64_t midr_from_kernel(const std::filesystem::path& root, int cpu);

}  // namespace hf
