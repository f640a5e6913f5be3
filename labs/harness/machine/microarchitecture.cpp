#include "microarchitecture.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace hf {
namespace {

// GCC 12 and libcpuid 0.6, as in Debian 12, identify a Zen 5 as a Zen 3 or not at all, and hwloc and the kernel give
// only the numbers. Hence the tables below, each copied from its source.

/// A range of models of one family and maker, including both ends.
struct Models {
  int family, first, last;
  const char* microarchitecture;
};

// Linux, arch/x86/kernel/cpu/amd.c, bsp_init_amd().
constexpr Models amd[] = {
    {0x17, 0x00, 0x2f, "Zen"},   {0x17, 0x50, 0x5f, "Zen"},   {0x17, 0x30, 0x4f, "Zen 2"}, {0x17, 0x60, 0x7f, "Zen 2"},
    {0x17, 0x90, 0x91, "Zen 2"}, {0x17, 0xa0, 0xaf, "Zen 2"}, {0x19, 0x00, 0x0f, "Zen 3"}, {0x19, 0x20, 0x5f, "Zen 3"},
    {0x19, 0x10, 0x1f, "Zen 4"}, {0x19, 0x60, 0xaf, "Zen 4"}, {0x1a, 0x00, 0x2f, "Zen 5"}, {0x1a, 0x40, 0x4f, "Zen 5"},
    {0x1a, 0x60, 0x7f, "Zen 5"},
};

// Linux, arch/x86/include/asm/intel-family.h.
constexpr Models intel[] = {
    {6, 0x3c, 0x3c, "Haswell"},         {6, 0x3f, 0x3f, "Haswell"},        {6, 0x45, 0x46, "Haswell"},
    {6, 0x3d, 0x3d, "Broadwell"},       {6, 0x47, 0x47, "Broadwell"},      {6, 0x4f, 0x4f, "Broadwell"},
    {6, 0x56, 0x56, "Broadwell"},       {6, 0x4e, 0x4e, "Skylake"},        {6, 0x5e, 0x5e, "Skylake"},
    {6, 0x55, 0x55, "Skylake"},         {6, 0x8e, 0x8e, "Kaby Lake"},      {6, 0x9e, 0x9e, "Kaby Lake"},
    {6, 0xa5, 0xa6, "Comet Lake"},      {6, 0x6a, 0x6a, "Ice Lake"},       {6, 0x6c, 0x6c, "Ice Lake"},
    {6, 0x7d, 0x7e, "Ice Lake"},        {6, 0xa7, 0xa7, "Rocket Lake"},    {6, 0x8c, 0x8d, "Tiger Lake"},
    {6, 0x8f, 0x8f, "Sapphire Rapids"}, {6, 0x97, 0x97, "Alder Lake"},     {6, 0x9a, 0x9a, "Alder Lake"},
    {6, 0xb7, 0xb7, "Raptor Lake"},     {6, 0xba, 0xba, "Raptor Lake"},    {6, 0xbf, 0xbf, "Raptor Lake"},
    {6, 0xcf, 0xcf, "Emerald Rapids"},  {6, 0xad, 0xae, "Granite Rapids"}, {6, 0xaa, 0xaa, "Meteor Lake"},
    {6, 0xac, 0xac, "Meteor Lake"},     {6, 0xb5, 0xb5, "Arrow Lake"},     {6, 0xc5, 0xc6, "Arrow Lake"},
    {6, 0xbd, 0xbd, "Lunar Lake"},
};

// Three cores share this model number and differ in the stepping, according to comments in that file.
constexpr int skylake_server = 0x55, first_cascade_lake = 5, first_cooper_lake = 10;

// util-linux, sys-utils/lscpu-arm.c.
const std::map<unsigned, const char*> implementers = {{0x41, "Arm"},       {0x43, "Cavium"},    {0x46, "Fujitsu"},
                                                      {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},    {0x51, "Qualcomm"},
                                                      {0x61, "Apple"},     {0x6d, "Microsoft"}, {0xc0, "Ampere"}};
const std::map<unsigned, const char*> arm_parts = {
    {0xd03, "Cortex-A53"},  {0xd05, "Cortex-A55"},  {0xd07, "Cortex-A57"},  {0xd08, "Cortex-A72"},
    {0xd0b, "Cortex-A76"},  {0xd0c, "Neoverse N1"}, {0xd40, "Neoverse V1"}, {0xd41, "Cortex-A78"},
    {0xd49, "Neoverse N2"}, {0xd4f, "Neoverse V2"}, {0xd84, "Neoverse V3"}, {0xd8e, "Neoverse N3"}};

constexpr unsigned arm_limited = 0x41;

unsigned implementer_of(std::uint64_t midr) { return midr >> 24 & 0xff; }
unsigned variant_of(std::uint64_t midr) { return midr >> 20 & 0xf; }
unsigned part_of(std::uint64_t midr) { return midr >> 4 & 0xfff; }
unsigned revision_of(std::uint64_t midr) { return midr & 0xf; }

std::string hexadecimal(unsigned number, int digits) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%0*x", digits, number);
  return text.data();
}

template <std::size_t count>
std::string found_in(const Models (&table)[count], int family, int model) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const Models& models) {
    return family == models.family && model >= models.first && model <= models.last;
  });
  return found != std::end(table) ? found->microarchitecture : "";
}

}  // namespace

std::string Core::text() const {
  std::ostringstream text;
  if (!part.empty()) {
    text << "implementer " << implementer << " part " << part;
    if (model && stepping) text << " r" << *model << 'p' << *stepping;
  } else if (family && model && stepping) {
    text << "family " << *family << " model " << *model << " stepping " << *stepping;
  }
  return text.str();
}

Core x86_core(std::string_view vendor, std::uint32_t signature) {
  Core core;
  if (signature == 0) return core;
  // Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID, figure "Version Information".
  const int base = static_cast<int>(signature >> 8 & 0xf), extended = static_cast<int>(signature >> 20 & 0xff);
  const int low = static_cast<int>(signature >> 4 & 0xf), high = static_cast<int>(signature >> 16 & 0xf);
  const int family = base == 15 ? base + extended : base;
  const int model = base == 6 || base == 15 ? high << 4 | low : low;
  const int stepping = static_cast<int>(signature & 0xf);
  core.family = family;
  core.model = model;
  core.stepping = stepping;
  if (vendor == "AuthenticAMD") core.microarchitecture = found_in(amd, family, model);
  if (vendor == "GenuineIntel") core.microarchitecture = found_in(intel, family, model);
  if (vendor == "GenuineIntel" && family == 6 && model == skylake_server && stepping >= first_cascade_lake) {
    core.microarchitecture = stepping >= first_cooper_lake ? "Cooper Lake" : "Cascade Lake";
  }
  return core;
}

Core arm_core(std::uint64_t midr) {
  Core core;
  if (midr == 0) return core;
  core.implementer = hexadecimal(implementer_of(midr), 2);
  core.part = hexadecimal(part_of(midr), 3);
  core.model = static_cast<int>(variant_of(midr));
  core.stepping = static_cast<int>(revision_of(midr));
  const auto part = arm_parts.find(part_of(midr));
  if (implementer_of(midr) == arm_limited && part != arm_parts.end()) core.microarchitecture = part->second;
  return core;
}

std::string arm_name(std::uint64_t midr) {
  if (midr == 0) return "AArch64 processor";
  const Core core = arm_core(midr);
  const auto maker = implementers.find(implementer_of(midr));
  return (maker != implementers.end() ? std::string(maker->second) : "AArch64") + " " +
         (core.microarchitecture.empty() ? "part " + core.part : core.microarchitecture);
}

std::uint64_t midr_from_kernel(const std::filesystem::path& root, int cpu) {
  const std::string name = "cpu" + std::to_string(cpu);
  std::ifstream in(root / "sys/devices/system/cpu" / name / "regs/identification/midr_el1");
  std::string text;
  if (in >> text) return std::strtoull(text.c_str(), nullptr, 16);

  std::ifstream cpuinfo(root / "proc/cpuinfo");
  bool right_one = false;
  std::uint64_t midr = 0;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::uint64_t number = std::strtoull(line.c_str() + colon + 1, nullptr, 0);
    if (line.starts_with("processor")) right_one = number == static_cast<std::uint64_t>(cpu);
    if (!right_one) continue;
    if (line.starts_with("CPU implementer")) midr |= (number & 0xff) << 24 | std::uint64_t{0xf} << 16;
    if (line.starts_with("CPU variant")) midr |= (number & 0xf) << 20;
    if (line.starts_with("CPU part")) midr |= (number & 0xfff) << 4;
    if (line.starts_with("CPU revision")) midr |= number & 0xf;
  }
  return midr;
}

}  // namespace hf
