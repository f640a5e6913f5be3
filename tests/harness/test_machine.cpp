#include <doctest/doctest.h>

#include <sys/resource.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/control_group.hpp"
#include "harness/machine/cores.hpp"
#include "harness/machine/machine.hpp"
#include "harness/machine/microarchitecture.hpp"
#include "harness/machine/surroundings.hpp"
#include "process.hpp"

namespace {

void check_sane(const hf::Machine& machine) {
  CHECK_FALSE(machine.cpu.empty());
  CHECK(machine.cores >= 1);
  CHECK(machine.numa_nodes >= 1);
  CHECK(machine.memory_bytes > 0);
  CHECK(machine.page_bytes >= 4096);
  CHECK_FALSE(machine.os.empty());
  CHECK(std::is_sorted(machine.isa.begin(), machine.isa.end()));
  CHECK(std::regex_match(machine.slug(), std::regex("[a-z0-9]+(-[a-z0-9]+)*")));
  CHECK(machine.canonical().find('\n') == std::string::npos);
  for (const hf::Cache& cache : machine.caches) {
    CHECK(cache.bytes > 0);
    CHECK(cache.shared_by >= 1);
  }
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

TEST_CASE("this machine is described, twice the same way") {
  const hf::Machine machine = hf::probe_machine();
  check_sane(machine);
  CHECK(machine.canonical() == hf::probe_machine().canonical());
#if defined(__x86_64__)
  CHECK(machine.has("sse2"));  // part of the architecture
#elif defined(__aarch64__)
  CHECK(machine.has("neon"));
#endif
}

TEST_CASE("without /sys, /proc and /etc the machine still has a description") {
  const TemporaryFolder empty;
  const hf::Machine machine = hf::probe_machine(empty.path());
  check_sane(machine);
  CHECK(machine.isa == hf::probe_isa());  // read from the processor, not from a file
  CHECK(machine.gpus.empty());
}

TEST_CASE("caches, nodes and system are read as the kernel writes them") {
  const TemporaryFolder root;
  const auto cache =
      root.path() / "sys/devices/system/cpu" / ("cpu" + std::to_string(hf::usable_cores().front())) / "cache";
  const auto entry = [&](int index, const char* level, const char* type, const char* size, const char* shared) {
    const auto folder = cache / ("index" + std::to_string(index));
    write(folder / "level", std::string(level) + "\n");
    write(folder / "type", std::string(type) + "\n");
    write(folder / "size", std::string(size) + "\n");
    write(folder / "shared_cpu_list", std::string(shared) + "\n");
  };
  entry(0, "1", "Data", "48K", "0");
  entry(1, "1", "Instruction", "32K", "0");
  entry(2, "2", "Unified", "2048K", "0,16");
  entry(3, "3", "Unified", "260M", "0-15,32-47");
  entry(4, "9", "Unified", "nonsense", "x");
  write(root.path() / "sys/devices/system/node/online", "0-1,3\n");
  write(root.path() / "etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  write(root.path() / "sys/fs/cgroup/memory.max", "1073741824\n");
  const hf::Machine machine = hf::probe_machine(root.path());
  REQUIRE(machine.caches.size() == 4);
  CHECK(machine.cache_bytes(1) == 48 * 1024);
  CHECK(machine.cache_bytes(2) == 2048 * 1024);
  CHECK(machine.cache_bytes(4) == 0);
  CHECK(machine.last_level_cache_bytes() == 260ull << 20);
  CHECK(machine.caches.back().shared_by == 32);
  CHECK(machine.numa_nodes == 3);
  CHECK(machine.memory_bytes == 1 << 30);
  CHECK(std::regex_match(machine.os, std::regex(R"(Debian GNU/Linux 12 \(bookworm\), Linux \d+\.\d+)")));
}

TEST_CASE("a machine of one core is described too") {
  CHECK(run({this_program(), "--test-case=this machine is described*"}, {}, [] {
          keep_on_core(hf::usable_cores().front());
        }).status == 0);
}

TEST_CASE("a machine of little memory is described too" * doctest::skip(!memory_can_be_limited)) {
  CHECK(run({this_program(), "--test-case=this machine is described*"}, {}, [] {
          const rlimit limit{256u << 20, 256u << 20};
          setrlimit(RLIMIT_AS, &limit);
        }).status == 0);
}

TEST_CASE("slug and canonical text say what there is") {
  hf::Machine machine;
  machine.cpu = "Intel Xeon Processor";
  machine.isa = {"avx2", "fma"};
  machine.cores = 2;
  machine.caches = {{1, "data", 48 << 10, 1}, {1, "instruction", 32 << 10, 1}, {2, "unified", 2 << 20, 1}};
  machine.memory_bytes = 16ull << 30;
  CHECK(machine.slug() == "intel-xeon-processor-2-cores");
  CHECK(machine.canonical() == "Intel Xeon Processor; 2 cores; L1 48 KiB, L2 2 MiB; 16 GiB; no GPU");
  machine.gpus = {{"NVIDIA H200", 0, ""}};
  machine.caches.clear();
  machine.cores = 1;
  CHECK(machine.canonical() == "Intel Xeon Processor; 1 core; caches unknown; 16 GiB; NVIDIA H200");
  CHECK(machine.to_json()["gpus"] == nlohmann::json::parse(R"([{"name": "NVIDIA H200"}])"));
}

TEST_CASE("a name that does not say which core it has is shown with it, in the slug too") {
  hf::Machine machine;
  machine.cpu = "AMD EPYC";
  machine.core = hf::x86_core("AuthenticAMD", 0x00b00f21);
  machine.cores = 2;
  machine.memory_bytes = 16ull << 30;
  CHECK(machine.cpu_name() == "AMD EPYC (Zen 5)");
  CHECK(machine.slug() == "amd-epyc-zen-5-2-cores");
  CHECK(machine.canonical() ==
        "AMD EPYC (Zen 5), family 26 model 2 stepping 1; 2 cores; caches unknown; 16 GiB; no GPU");
  const nlohmann::json json = machine.to_json();
  CHECK(json["cpu"] == "AMD EPYC");
  CHECK(json["family"] == 26);
  CHECK(json["model"] == 2);
  CHECK(json["stepping"] == 1);
  CHECK(json["microarchitecture"] == "Zen 5");
  CHECK_FALSE(json.contains("part"));

  const std::uint64_t graviton2 = 0x413fd0c1;
  machine.cpu = hf::arm_name(graviton2);
  machine.core = hf::arm_core(graviton2);
  CHECK(machine.cpu_name() == "Arm Neoverse N1");  // the text says so
  CHECK(machine.to_json()["implementer"] == "0x41");
  CHECK(machine.to_json()["part"] == "0xd0c");
  CHECK_FALSE(machine.to_json().contains("family"));
}

TEST_CASE("a GPU is known by its name alone, where the driver has nothing but /proc") {
  const TemporaryFolder root;
  write(root.path() / "proc/driver/nvidia/gpus/0000:01:00.0/information",
        "Model: \t\t NVIDIA H200\nIRQ:   12\nGPU UUID: \t GPU-12345678-1234-1234-1234-123456789012\n");
  const auto gpus = hf::probe_gpus(root.path());
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].name == "NVIDIA H200");
}

TEST_CASE("capacities are in binary units") {
  CHECK(hf::capacity_text(512) == "512 B");
  CHECK(hf::capacity_text(48 << 10) == "48 KiB");
  CHECK(hf::capacity_text(3 << 19) == "1.5 MiB");
  CHECK(hf::capacity_text(260ull << 20) == "260 MiB");
  CHECK(hf::capacity_text(16ull << 30) == "16 GiB");
}

TEST_CASE("the tightest limit of the control groups on the way up counts, in both versions") {
  const auto limits = [](const std::string& groups, const std::string& mounts, const auto&... files) {
    const TemporaryFolder root;
    write(root.path() / "proc/self/cgroup", groups);
    if (!mounts.empty()) write(root.path() / "proc/self/mountinfo", mounts);
    (write(root.path() / "sys/fs/cgroup" / files.first, files.second), ...);
    return hf::read_group_limits(root.path());
  };
  using File = std::pair<const char*, const char*>;
  const std::string slice = "0::/system.slice/lab.service\n";
  const auto own = limits(slice, "", File{"system.slice/lab.service/cpu.max", "50000 100000\n"},
                          File{"system.slice/cpu.max", "max 100000\n"}, File{"system.slice/memory.max", "600000000\n"},
                          File{"memory.max", "max\n"});
  CHECK(own.processors.value() == 0.5);
  CHECK(own.memory_bytes.value() == 600'000'000);
  const auto parent = limits(slice, "", File{"system.slice/lab.service/cpu.max", "400000 100000\n"},
                             File{"system.slice/cpu.max", "150000 100000\n"},
                             File{"system.slice/lab.service/cpu.stat", "usage_usec 9\nthrottled_usec 1500000\n"});
  CHECK(parent.processors.value() == 1.5);
  CHECK(parent.throttled_seconds == doctest::Approx(1.5));
  const std::string slurm = "4:memory:/slurm/job\n2:cpuacct,cpu:/slurm/job\n0::/\n";
  const auto old =
      limits(slurm, "", File{"cpu/slurm/job/cpu.cfs_quota_us", "-1\n"}, File{"cpu/slurm/cpu.cfs_quota_us", "300000\n"},
             File{"cpu/slurm/cpu.cfs_period_us", "100000\n"},
             File{"memory/slurm/job/memory.limit_in_bytes", "9223372036854771712\n"},
             File{"memory/slurm/memory.limit_in_bytes", "700000000\n"});
  CHECK(old.processors.value() == 3);
  CHECK(old.memory_bytes.value() == 700'000'000);
  // Docker without a namespace of its own: the mount begins at the container's group.
  const auto container =
      limits("0::/docker/12ab\n", "30 24 0:26 /docker/12ab /sys/fs/cgroup ro shared:4 - cgroup2 cgroup rw\n",
             File{"cpu.max", "100000 100000\n"});
  CHECK(container.processors.value() == 1);
  // Both versions: the second is mounted in a folder of its own.
  const auto both = limits("1:cpu:/\n0::/a\n",
                           "30 24 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
                           "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
                           File{"unified/a/memory.high", "5000000\n"}, File{"cpu,cpuacct/cpu.cfs_quota_us", "20000\n"},
                           File{"cpu,cpuacct/cpu.cfs_period_us", "10000\n"});
  CHECK(both.processors.value() == 2);
  CHECK(both.memory_bytes.value() == 5'000'000);
  const auto outside = limits("0::/../other\n", "", File{"other/cpu.max", "1 2\n"});
  CHECK_FALSE(outside.processors);
  const auto nonsense = limits("nonsense\n", "x\n", File{"cpu.max", "-5 x\n"}, File{"memory.max", "0\n"});
  CHECK_FALSE(nonsense.processors);
  CHECK_FALSE(nonsense.memory_bytes);
}

TEST_CASE("threads, kinds of cores, frequencies and containers are told apart") {
  const std::vector<int> cores = {0, 1, 2, 3};
  const auto text = [&](const auto&... files) {
    const TemporaryFolder root;
    (write(root.path() / files.first, files.second), ...);
    return hf::probe_surroundings(root.path(), cores).text(4);
  };
  using File = std::pair<std::string, const char*>;
  const auto cpu = [](int core, const std::string& file) {
    return "sys/devices/system/cpu/cpu" + std::to_string(core) + "/" + file;
  };
  CHECK(text() == "");
  const std::string list = "topology/core_cpus_list", old = "topology/thread_siblings_list";
  CHECK(text(File{cpu(0, list), "0,2"}, File{cpu(1, list), "1,3"}, File{cpu(2, list), "0,2"},
             File{cpu(3, list), "1,3"}) == "4 threads on 2 cores");
  CHECK(text(File{cpu(0, old), "0-7"}, File{cpu(1, old), "0-7"}, File{cpu(2, old), "0-7"}, File{cpu(3, old), "0-7"}) ==
        "4 threads on 1 core");
  CHECK(text(File{cpu(0, list), "0"}, File{cpu(1, list), "1"}, File{cpu(2, list), "2"}, File{cpu(3, list), "3"}) == "");
  CHECK(text(File{cpu(0, list), "0"}) == "");
  CHECK(text(File{"sys/devices/cpu_core/cpus", "0"}, File{"sys/devices/cpu_atom/cpus", "1-3,8-9"}) ==
        "1 core of kind 1; 3 cores of kind 2; one thread on kind 1");
  CHECK(text(File{"sys/devices/cpu_core/cpus", "0-3"}, File{"sys/devices/cpu_atom/cpus", "4-7"}) == "");
  CHECK(text(File{cpu(0, "cpu_capacity"), "446"}, File{cpu(1, "cpu_capacity"), "446"},
             File{cpu(2, "cpu_capacity"), "446"},
             File{cpu(3, "cpu_capacity"), "1024"}) == "1 core of kind 1; 3 cores of kind 2; one thread on kind 2");
  CHECK(text(File{cpu(0, "cpufreq/scaling_governor"), "powersave"},
             File{"sys/devices/system/cpu/intel_pstate/no_turbo", "1"}) == "governor powersave; turbo off");
  CHECK(text(File{"sys/devices/system/cpu/cpufreq/boost", "1"}) == "turbo on");
  CHECK(text(File{".dockerenv", ""}) == "in a container");
  CHECK(text(File{"run/.containerenv", ""}) == "in a container");
  CHECK(text(File{"proc/self/cgroup", "0::/kubepods.slice/x\n"}) == "in a container");
  CHECK(text(File{"sys/fs/cgroup/cpu.max", "50000 100000"}, File{"sys/fs/cgroup/memory.max", "629145600"}) ==
        "CPU quota: 0.500 of 4 cores; memory limit: 600 MiB");
}

TEST_CASE("the fastest kind of core comes first") {
  const std::vector<int> cores = {0, 1, 2, 3, 4, 5, 6, 7};
  using Kinds = std::vector<std::vector<int>>;
  const TemporaryFolder arm, intel, alike;
  const auto capacity = [&](int core, const char* number) {
    write(arm.path() / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cpu_capacity", number);
  };
  for (const int core : {0, 1, 2, 3}) capacity(core, "446\n");
  for (const int core : {4, 5}) capacity(core, "1024\n");
  for (const int core : {6, 7}) capacity(core, "871\n");
  CHECK(hf::kinds_of(cores, arm.path()) == Kinds{{4, 5}, {6, 7}, {0, 1, 2, 3}});
  write(intel.path() / "sys/devices/cpu_atom/cpus", "0-3,7\n");
  write(intel.path() / "sys/devices/cpu_core/cpus", "4-6\n");
  CHECK(hf::kinds_of(cores, intel.path()) == Kinds{{4, 5, 6}, {0, 1, 2, 3, 7}});
  CHECK(hf::kinds_of({1, 3}, intel.path()) == Kinds{{1, 3}});
  CHECK(hf::kinds_of(cores, alike.path()) == Kinds{cores});
  CHECK(hf::usable_cores() == hf::cores_now());
}

TEST_CASE("a node without memory is no node of the machine's memory") {
  const TemporaryFolder root;
  write(root.path() / "sys/devices/system/node/online", "0-5\n");
  write(root.path() / "sys/devices/system/node/has_memory", "0,2\n");
  CHECK(hf::probe_machine(root.path()).numa_nodes == 2);
}

std::string intel(std::uint32_t signature) { return hf::x86_core("GenuineIntel", signature).microarchitecture; }
std::string amd(std::uint32_t signature) { return hf::x86_core("AuthenticAMD", signature).microarchitecture; }

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

}  // namespace
