#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "harness/machine/machine.hpp"
#include "harness/machine/microarchitecture.hpp"
#include "harness/measure/threads.hpp"
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

}  // namespace

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
          cpu_set_t one;
          CPU_ZERO(&one);
          CPU_SET(hf::usable_cores().front(), &one);
          sched_setaffinity(0, sizeof one, &one);
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
