#include "machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cores.hpp"
#include "first_line.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/shared_library.hpp"
#include "machine_registers.hpp"
#include "microarchitecture.hpp"
#include "surroundings.hpp"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace hf {
namespace {

namespace fs = std::filesystem;

/// NVML, the driver's management library; declarations as in NVIDIA's "NVML API Reference Guide". 0 is success.
class ManagementLibrary {
 public:
  ManagementLibrary() { started_ = library_ && call<int()>("nvmlInit_v2") == 0; }
  ~ManagementLibrary() {
    if (started_) call<int()>("nvmlShutdown");
  }
  ManagementLibrary(const ManagementLibrary&) = delete;
  ManagementLibrary& operator=(const ManagementLibrary&) = delete;

  std::vector<Gpu> gpus() {
    std::vector<Gpu> found;
    unsigned count = 0;
    if (!started_ || call<int(unsigned*)>("nvmlDeviceGetCount_v2", &count) != 0) return found;
    char driver[81] = "";
    call<int(char*, unsigned)>("nvmlSystemGetDriverVersion", driver, 80u);
    for (unsigned index = 0; index < count; ++index) {
      void* device = nullptr;
      char name[97] = "";
      struct {
        unsigned long long total, free, used;
      } memory = {};
      if (call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2", index, &device) != 0) continue;
      if (call<int(void*, char*, unsigned)>("nvmlDeviceGetName", device, name, 96u) != 0) continue;
      call<int(void*, void*)>("nvmlDeviceGetMemoryInfo", device, &memory);
      found.push_back({name, memory.total, driver});
    }
    return found;
  }

 private:
  template <class Signature, class... Arguments>
  int call(const char* function, Arguments... arguments) {
    auto* const address = library_.function<Signature>(function);
    return address != nullptr ? address(arguments...) : -1;
  }

  SharedLibrary library_{"libnvidia-ml.so.1"};
  bool started_ = false;
};

std::vector<Gpu> gpus_from_proc(const fs::path& root) {
  std::vector<Gpu> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "proc/driver/nvidia/gpus", error)) {
    std::ifstream in(entry.path() / "information");
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("Model:")) continue;
      const auto start = line.find_first_not_of(" \t", 6);
      if (start != std::string::npos) found.push_back({line.substr(start), 0, ""});
    }
  }
  return found;
}

#if defined(__x86_64__)

/// The name without trademarks and double spaces: "Intel(R) Xeon(R) Processor" becomes "Intel Xeon Processor".
std::string plain_name(std::string name) {
  for (const std::string mark : {"(R)", "(r)", "(TM)", "(tm)"}) {
    for (auto at = name.find(mark); at != std::string::npos; at = name.find(mark)) name.erase(at, mark.size());
  }
  std::istringstream words(name);
  std::string plain;
  for (std::string word; words >> word;) plain += (plain.empty() ? "" : " ") + word;
  return plain;
}

/// The brand string, cpuid leaves 0x80000002 to 0x80000004.
std::string probe_cpu(const fs::path&) {
  if (cpuid(0x80000000, 0)[0] < 0x80000004) return "x86-64 processor";
  std::string brand;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const auto registers = cpuid(leaf, 0);
    brand.append(reinterpret_cast<const char*>(registers.data()), sizeof registers);
  }
  brand = plain_name(brand.c_str());
  return brand.empty() ? "x86-64 processor" : brand;
}

Core probe_core(const fs::path&) { return x86_core(vendor_signature(), cpuid(1, 0)[0]); }

#elif defined(__aarch64__)

constexpr unsigned long hwcap_cpuid = 1UL << 11;  // the kernel lets programs read the identification registers

/// The main identification register of a processor, from the kernel's files or else by reading the register.
std::uint64_t probe_midr(const fs::path& root) {
  std::uint64_t midr = midr_from_kernel(root, usable_cores().front());
  if (midr == 0 && (getauxval(AT_HWCAP) & hwcap_cpuid) != 0) asm("mrs %0, midr_el1" : "=r"(midr));
  return midr;
}

std::string probe_cpu(const fs::path& root) { return arm_name(probe_midr(root)); }

Core probe_core(const fs::path& root) { return arm_core(probe_midr(root)); }

#else

std::string probe_cpu(const fs::path&) { return "processor"; }

Core probe_core(const fs::path&) { return {}; }

#endif

/// The count of numbers in a list: "0-3,8" has five.
int count_in_list(const std::string& list) {
  int count = 0;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0;
    const int found = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    count += found == 2 ? std::max(last - first + 1, 1) : found;
  }
  return count;
}

/// The bytes in "48K", "2048K" or "260M"; 0 for anything else.
std::uint64_t bytes_of(const std::string& size) {
  char* unit = nullptr;
  const std::uint64_t number = std::strtoull(size.c_str(), &unit, 10);
  return number << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0);
}

/// The caches according to the kernel: sys/devices/system/cpu/cpuN/cache/indexM.
std::vector<Cache> caches_from_sysfs(const fs::path& root, int core) {
  static const std::map<std::string, std::string> kinds = {
      {"Data", "data"}, {"Instruction", "instruction"}, {"Unified", "unified"}};
  std::vector<Cache> caches;
  const fs::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cache";
  for (int index = 0; index < 16; ++index) {
    const fs::path entry = folder / ("index" + std::to_string(index));
    const auto kind = kinds.find(first_line(entry / "type"));
    const int level = std::atoi(first_line(entry / "level").c_str());
    const std::uint64_t bytes = bytes_of(first_line(entry / "size"));
    const int shared_by = std::max(count_in_list(first_line(entry / "shared_cpu_list")), 1);
    if (kind != kinds.end() && level >= 1 && level <= 5 && bytes > 0) {
      caches.push_back({level, kind->second, bytes, shared_by});
    }
  }
  return caches;
}

/// The caches according to the processor: cpuid leaf 4 (Intel) or 0x8000001d (AMD), which have the same layout.
std::vector<Cache> caches_from_processor([[maybe_unused]] int cores) {
  std::vector<Cache> caches;
#if defined(__x86_64__)
  const unsigned leaf = vendor_signature() == "AuthenticAMD" ? 0x8000001d : 4;
  for (unsigned index = 0; index < 16; ++index) {
    const auto [a, b, c, d] = cpuid(leaf, index);
    const unsigned type = a & 0x1f;
    if (type < 1 || type > 3) break;
    const std::uint64_t ways = (b >> 22) + 1, partitions = (b >> 12 & 0x3ff) + 1, line = (b & 0xfff) + 1;
    const int sharing = static_cast<int>(a >> 14 & 0xfff) + 1;
    const char* kind = type == 1 ? "data" : type == 2 ? "instruction" : "unified";
    caches.push_back({static_cast<int>(a >> 5 & 7), kind, ways * partitions * line * (std::uint64_t{c} + 1),
                      std::min(sharing, cores)});
  }
#endif
  return caches;
}

/// The caches according to the C library, which only reports sizes.
std::vector<Cache> caches_from_sysconf() {
  struct Name {
    int level;
    const char* kind;
    int name;
  };
  static constexpr Name names[] = {{1, "data", _SC_LEVEL1_DCACHE_SIZE},
                                   {2, "unified", _SC_LEVEL2_CACHE_SIZE},
                                   {3, "unified", _SC_LEVEL3_CACHE_SIZE}};
  std::vector<Cache> caches;
  for (const Name& name : names) {
    const long bytes = sysconf(name.name);
    if (bytes > 0) caches.push_back({name.level, name.kind, static_cast<std::uint64_t>(bytes), 1});
  }
  return caches;
}

std::vector<Cache> probe_caches(const fs::path& root, const std::vector<int>& cores) {
  std::vector<Cache> caches = caches_from_sysfs(root, cores.front());
  if (caches.empty()) caches = caches_from_processor(static_cast<int>(cores.size()));
  if (caches.empty()) caches = caches_from_sysconf();
  std::stable_sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) {
    return std::pair(a.level, a.kind) < std::pair(b.level, b.kind);
  });
  return caches;
}

/// The nodes that have memory; a node may have processors or devices alone.
int probe_numa_nodes(const fs::path& root) {
  const fs::path nodes = root / "sys/devices/system/node";
  const int with_memory = count_in_list(first_line(nodes / "has_memory"));
  return with_memory > 0 ? with_memory : std::max(count_in_list(first_line(nodes / "online")), 1);
}

/// The machine's memory, or the control group's limit if that is lower.
std::uint64_t probe_memory(const Surroundings& surroundings) {
  return surroundings.memory_limit_bytes.value_or(static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                                  static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

bool probe_virtualised([[maybe_unused]] const fs::path& root) {
#if defined(__x86_64__)
  return has_hypervisor();
#else
  std::error_code ignored;
  const std::string product = first_line(root / "sys/class/dmi/id/sys_vendor");
  return fs::exists(root / "sys/hypervisor/type", ignored) ||
         fs::exists(root / "proc/device-tree/hypervisor/compatible", ignored) || product == "QEMU" ||
         product == "Amazon EC2" || product == "Google" || product == "Microsoft Corporation";
#endif
}

/// QEMU without a hypervisor identifies itself in cpuid; on AArch64 its processor has no maker, unless configured to
/// imitate one.
bool probe_emulated() {
#if defined(__x86_64__)
  return hypervisor_signature() == "TCGTCGTCGTCG";
#elif defined(__aarch64__)
  if ((getauxval(AT_HWCAP) & hwcap_cpuid) == 0) return false;
  std::uint64_t midr = 0;
  asm("mrs %0, midr_el1" : "=r"(midr));
  return (midr >> 24 & 0xff) == 0;
#else
  return false;
#endif
}

/// "Debian GNU/Linux 12 (bookworm), Linux 6.1".
std::string probe_os(const fs::path& root) {
  std::string name;
  std::ifstream release(root / "etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    name = line.substr(12);
    std::erase(name, '"');
  }
  utsname kernel = {};
  if (uname(&kernel) != 0) return name.empty() ? "unknown" : name;
  int major = 0, minor = 0;
  std::sscanf(kernel.release, "%d.%d", &major, &minor);
  return (name.empty() ? "" : name + ", ") + kernel.sysname + " " + std::to_string(major) + "." + std::to_string(minor);
}

std::string rounded_gib(std::uint64_t bytes) {
  const double gib = static_cast<double>(bytes) / (std::uint64_t{1} << 30);
  return std::to_string(std::max(std::lround(gib), 1L)) + " GiB";
}

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

}  // namespace

std::vector<Gpu> probe_gpus(const fs::path& root) {
  std::vector<Gpu> gpus = root == "/" ? ManagementLibrary().gpus() : std::vector<Gpu>();
  if (gpus.empty()) gpus = gpus_from_proc(root);
  std::stable_sort(gpus.begin(), gpus.end(), [](const Gpu& a, const Gpu& b) { return a.name < b.name; });
  return gpus;
}

Machine probe_machine(const fs::path& root) {
  Machine machine;
  machine.cpu = probe_cpu(root);
  machine.core = probe_core(root);
#if defined(__x86_64__)
  machine.architecture = "x86_64";
#elif defined(__aarch64__)
  machine.architecture = "aarch64";
#else
  machine.architecture = "other";
#endif
  machine.isa = probe_isa();
  machine.cores = static_cast<int>(usable_cores().size());
  machine.caches = probe_caches(root, usable_cores());
  machine.numa_nodes = probe_numa_nodes(root);
  machine.surroundings = probe_surroundings(root, usable_cores());
  machine.memory_bytes = probe_memory(machine.surroundings);
  machine.page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  machine.huge_pages = huge_pages_work();
  machine.gpus = probe_gpus(root);
  machine.virtualised = probe_virtualised(root);
  machine.emulated = probe_emulated();
  machine.os = probe_os(root);
  return machine;
}

bool Machine::has(std::string_view instruction_set) const {
  return std::find(isa.begin(), isa.end(), instruction_set) != isa.end();
}

bool Machine::has_all(const std::string& instruction_sets) const {
  std::istringstream names(instruction_sets);
  for (std::string name; names >> name;)
    if (!has(name)) return false;
  return true;
}

std::string capacity_text(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double number = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; number >= 1024 && unit + 1 < std::size(units); ++unit) number /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", number < 10 && number != std::floor(number) ? 1 : 0, number, units[unit]);
  return text;
}

std::string Machine::cpu_name() const {
  const bool says_it = cpu.find(core.microarchitecture) != std::string::npos;  // true for Arm, and if it is empty
  return says_it ? cpu : cpu + " (" + core.microarchitecture + ")";
}

std::string Machine::slug() const {
  std::string slug;
  const std::string name = cpu_name() + " " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  for (const unsigned char character : name) {
    if (std::isalnum(character) != 0 && character < 0x80) {
      slug += static_cast<char>(std::tolower(character));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  return slug;
}

std::string Machine::canonical() const {
  std::string text = cpu_name() + (core.text().empty() ? "" : ", " + core.text()) + "; " + std::to_string(cores) +
                     (cores == 1 ? " core; " : " cores; ");
  std::vector<std::string> sizes;
  for (const Cache& cache : caches) {
    if (cache.kind == "instruction") continue;
    sizes.push_back(std::string("L").append(std::to_string(cache.level)) + " " + capacity_text(cache.bytes));
  }
  text += (sizes.empty() ? "caches unknown" : join(sizes, ", ")) + "; " + rounded_gib(memory_bytes) + "; ";
  std::vector<std::string> names;
  for (const Gpu& gpu : gpus) names.push_back(gpu.name);
  return text + (names.empty() ? "no GPU" : join(names, ", "));
}

nlohmann::json Machine::to_json() const {
  nlohmann::json json = {{"slug", slug()},
                         {"cpu", cpu},
                         {"architecture", architecture},
                         {"isa", isa},
                         {"cores", cores},
                         {"caches", nlohmann::json::array()},
                         {"numa_nodes", numa_nodes},
                         {"memory_bytes", memory_bytes},
                         {"page_bytes", page_bytes},
                         {"huge_pages", huge_pages},
                         {"gpus", nlohmann::json::array()},
                         {"virtualised", virtualised},
                         {"os", os}};
  json.update(surroundings.to_json());
  if (emulated) json["emulated"] = true;
  if (core.family) json["family"] = *core.family;
  if (core.model) json["model"] = *core.model;
  if (core.stepping) json["stepping"] = *core.stepping;
  if (!core.implementer.empty()) json["implementer"] = core.implementer;
  if (!core.part.empty()) json["part"] = core.part;
  if (!core.microarchitecture.empty()) json["microarchitecture"] = core.microarchitecture;
  for (const Cache& cache : caches) {
    json["caches"].push_back(
        {{"level", cache.level}, {"kind", cache.kind}, {"bytes", cache.bytes}, {"shared_by", cache.shared_by}});
  }
  for (const Gpu& gpu : gpus) {
    nlohmann::json object = {{"name", gpu.name}};
    if (gpu.memory_bytes > 0) object["memory_bytes"] = gpu.memory_bytes;
    if (!gpu.driver.empty()) object["driver"] = gpu.driver;
    json["gpus"].push_back(std::move(object));
  }
  return json;
}

}  // namespace hf
