#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "machine.hpp"
#include "machine_registers.hpp"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace hf {

#if defined(__x86_64__)

namespace {

enum Register { eax, ebx, ecx, edx };

/// The register state that the operating system must save for a feature to be usable (XCR0).
enum class State { none, avx, avx512, amx };

struct Feature {
  const char* name;
  unsigned leaf, subleaf;
  Register where;
  int bit;
  State needs;
};

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID.
constexpr Feature features[] = {
    {"sse2", 1, 0, edx, 26, State::none},
    {"sse3", 1, 0, ecx, 0, State::none},
    {"ssse3", 1, 0, ecx, 9, State::none},
    {"sse4.1", 1, 0, ecx, 19, State::none},
    {"sse4.2", 1, 0, ecx, 20, State::none},
    {"popcnt", 1, 0, ecx, 23, State::none},
    {"avx", 1, 0, ecx, 28, State::avx},
    {"f16c", 1, 0, ecx, 29, State::avx},
    {"fma", 1, 0, ecx, 12, State::avx},
    {"bmi2", 7, 0, ebx, 8, State::none},
    {"avx2", 7, 0, ebx, 5, State::avx},
    {"avx_vnni", 7, 1, eax, 4, State::avx},
    {"avx512f", 7, 0, ebx, 16, State::avx512},
    {"avx512dq", 7, 0, ebx, 17, State::avx512},
    {"avx512cd", 7, 0, ebx, 28, State::avx512},
    {"avx512bw", 7, 0, ebx, 30, State::avx512},
    {"avx512vl", 7, 0, ebx, 31, State::avx512},
    {"avx512_vbmi", 7, 0, ecx, 1, State::avx512},
    {"avx512_vbmi2", 7, 0, ecx, 6, State::avx512},
    {"avx512_vnni", 7, 0, ecx, 11, State::avx512},
    {"avx512_bf16", 7, 1, eax, 5, State::avx512},
    {"avx512_fp16", 7, 0, edx, 23, State::avx512},
    {"amx_bf16", 7, 0, edx, 22, State::amx},
    {"amx_tile", 7, 0, edx, 24, State::amx},
    {"amx_int8", 7, 0, edx, 25, State::amx},
};

bool saved(State state) {
  static const std::uint64_t bits = saved_states();
  switch (state) {
    case State::none: return true;
    case State::avx: return (bits & 0x6) == 0x6;
    case State::avx512: return (bits & 0xe6) == 0xe6;
    case State::amx: return (bits & 0x60000) == 0x60000;
  }
  return false;
}

}  // namespace

std::vector<std::string> probe_isa() {
  std::vector<std::string> names;
  for (const Feature& feature : features) {
    const std::array<unsigned, 4> registers = cpuid(feature.leaf, feature.subleaf);
    if ((registers[feature.where] >> feature.bit & 1) != 0 && saved(feature.needs)) names.emplace_back(feature.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

#elif defined(__aarch64__)

namespace {

struct Feature {
  const char* name;
  unsigned long capability;
  unsigned long bit;
};

// linux/Documentation/arch/arm64/elf_hwcaps.rst; the bits are part of the kernel's ABI.
constexpr Feature features[] = {
    {"neon", AT_HWCAP, 1UL << 1},   {"asimdhp", AT_HWCAP, 1UL << 10}, {"dotprod", AT_HWCAP, 1UL << 20},
    {"sve", AT_HWCAP, 1UL << 22},   {"sve2", AT_HWCAP2, 1UL << 1},    {"svei8mm", AT_HWCAP2, 1UL << 9},
    {"i8mm", AT_HWCAP2, 1UL << 13}, {"bf16", AT_HWCAP2, 1UL << 14},   {"sme", AT_HWCAP2, 1UL << 23},
};

}  // namespace

std::vector<std::string> probe_isa() {
  std::vector<std::string> names;
  for (const Feature& feature : features) {
    if ((getauxval(feature.capability) & feature.bit) != 0) names.emplace_back(feature.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

#else

namespace {

struct Feature {
  const char* name;
};

constexpr std::array<Feature, 0> features{};

}  // namespace

std::vector<std::string> probe_isa() { return {}; }

#endif

std::vector<std::string> known_isa() {
  std::vector<std::string> names;
  for (const Feature& feature : features) names.emplace_back(feature.name);
  return names;
}

}  // namespace hf
