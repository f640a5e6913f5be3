#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "harness/machine/microarchitecture.hpp"
#include "process.hpp"

namespace {

std::string intel(std::uint32_t signature) { return hf::x86_core("GenuineIntel", signature).microarchitecture; }
std::string amd(std::uint32_t signature) { return hf::x86_core("AuthenticAMD", signature).microarchitecture; }

}  // namespace

TEST_CASE("family and model are put together from their halves") {
  const hf::Core turin = hf::x86_core("AuthenticAMD", 0x00b00f21);  // an EPYC of 2024
  CHECK(turin.family == 26);
  CHECK(turin.model == 2);
  CHECK(turin.stepping == 1);
  CHECK(turin.text() == "family 26 model 2 stepping 1");
  const hf::Core sapphire_rapids = hf::x86_core("GenuineIntel", 0x000806f8);
  CHECK(sapphire_rapids.family == 6);
  CHECK(sapphire_rapids.model == 0x8f);
  CHECK(sapphire_rapids.stepping == 8);
  const hf::Core pentium = hf::x86_core("GenuineIntel", 0x0005f54c);  // family 5: its extended model does not count
  CHECK(pentium.family == 5);
  CHECK(pentium.model == 4);
}

TEST_CASE("cores that are sold by one name are told apart") {
  CHECK(amd(0x00800f12) == "Zen");    // Naples
  CHECK(amd(0x00830f10) == "Zen 2");  // Rome
  CHECK(amd(0x00a00f11) == "Zen 3");  // Milan
  CHECK(amd(0x00a10f11) == "Zen 4");  // Genoa
  CHECK(amd(0x00b00f21) == "Zen 5");  // Turin
  CHECK(intel(0x000306f2) == "Haswell");
  CHECK(intel(0x000406f1) == "Broadwell");
  CHECK(intel(0x00050654) == "Skylake");
  CHECK(intel(0x00050657) == "Cascade Lake");  // Skylake's model number
  CHECK(intel(0x0005065b) == "Cooper Lake");   // and again
  CHECK(intel(0x000606a6) == "Ice Lake");
  CHECK(intel(0x000806f8) == "Sapphire Rapids");
  CHECK(intel(0x000c06f2) == "Emerald Rapids");
  CHECK(intel(0x000a06d1) == "Granite Rapids");
}

TEST_CASE("what is not known is not named") {
  CHECK(amd(0x00ff0f11) == "");    // a future family
  CHECK(intel(0x00000663) == "");  // QEMU's processor without a model
  CHECK(intel(0x00a10f11) == "");  // a maker's numbers have no meaning with another maker
  CHECK(hf::x86_core("HygonGenuine", 0x00900f01).microarchitecture == "");
  CHECK(hf::x86_core("HygonGenuine", 0x00900f01).family == 24);
  CHECK(hf::x86_core("", 0).text() == "");
  CHECK_FALSE(hf::x86_core("", 0).family.has_value());
}

TEST_CASE("Arm's cores are named by their maker and part") {
  const hf::Core n1 = hf::arm_core(0x413fd0c1);
  CHECK(n1.microarchitecture == "Neoverse N1");
  CHECK(n1.implementer == "0x41");
  CHECK(n1.part == "0xd0c");
  CHECK(n1.text() == "implementer 0x41 part 0xd0c r3p1");
  CHECK(hf::arm_name(0x413fd0c1) == "Arm Neoverse N1");
  CHECK(hf::arm_core(0x411fd401).microarchitecture == "Neoverse V1");
  CHECK(hf::arm_core(0x410fd490).microarchitecture == "Neoverse N2");
  CHECK(hf::arm_core(0x410fd4f0).microarchitecture == "Neoverse V2");
  CHECK(hf::arm_core(0x410fd083).microarchitecture == "Cortex-A72");
  CHECK(hf::arm_name(0xc00fac30) == "Ampere part 0xac3");
  CHECK(hf::arm_core(0xc00fd0c0).microarchitecture == "");  // Arm's numbers have no meaning with another maker
  CHECK(hf::arm_name(0x000f0510) == "AArch64 part 0x051");  // an emulator's
  CHECK(hf::arm_name(0) == "AArch64 processor");
  CHECK(hf::arm_core(0).text() == "");
}

TEST_CASE("the kernel tells the register in /sys, or its fields in /proc") {
  const TemporaryFolder root;
  CHECK(hf::midr_from_kernel(root.path(), 0) == 0);
  write(root.path() / "proc/cpuinfo",
        "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd05\n"
        "CPU revision\t: 0\n\n"
        "processor\t: 1\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
        "CPU revision\t: 1\n\n");
  CHECK(hf::midr_from_kernel(root.path(), 1) == 0x413fd0c1);  // its own fields, not the little core's
  CHECK(hf::midr_from_kernel(root.path(), 0) == 0x410fd050);
  CHECK(hf::midr_from_kernel(root.path(), 7) == 0);
  write(root.path() / "sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000411fd401\n");
  CHECK(hf::midr_from_kernel(root.path(), 0) == 0x411fd401);
}
