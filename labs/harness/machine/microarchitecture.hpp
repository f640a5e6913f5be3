/// \file
/// Which core a processor has, beyond the name it is sold by: two machines that both call themselves "AMD EPYC" can
/// differ by a factor of two.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hf {

/// What the processor says its core is. What it does not say is left empty.
struct Core {
  std::optional<int> family;      ///< x86, with the extended family added, as the kernel counts: 26 for Zen 5
  std::optional<int> model;       ///< x86: with the extended model; Arm: the variant, the n of rnpm
  std::optional<int> stepping;    ///< x86: the stepping; Arm: the revision, the m of rnpm
  std::string implementer;        ///< Arm: who made it, "0x41" for Arm itself
  std::string part;               ///< Arm: which of the maker's cores it is, "0xd0c"
  std::string microarchitecture;  ///< "Zen 5", "Sapphire Rapids", "Neoverse N1"; empty when not known here

  /// "family 26 model 2 stepping 1", "implementer 0x41 part 0xd0c r3p1"; empty when nothing is known.
  std::string text() const;
};

/// \param vendor  the twelve characters of cpuid leaf 0: "GenuineIntel", "AuthenticAMD"
/// \param signature  register eax of cpuid leaf 1
Core x86_core(std::string_view vendor, std::uint32_t signature);

/// \param midr  the main identification register, MIDR_EL1; 0 when it cannot be read
Core arm_core(std::uint64_t midr);

/// What an Arm processor is called, which has no name in a register: "Arm Neoverse N1", "Ampere part 0xac3"; without
/// the register "AArch64 processor".
std::string arm_name(std::uint64_t midr);

/// The main identification register as the kernel tells it of one logical processor: in /sys, or, field by field, in
/// /proc/cpuinfo.
/// \param root  stands in for "/" in tests
/// \return 0 when neither is there
std::uint64_t midr_from_kernel(const std::filesystem::path& root, int cpu);

}  // namespace hf
