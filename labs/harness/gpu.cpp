#include "gpu.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "machine.hpp"
#include "shared_library.hpp"

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

}  // namespace

std::vector<Gpu> probe_gpus(const fs::path& root) {
  std::vector<Gpu> gpus = root == "/" ? ManagementLibrary().gpus() : std::vector<Gpu>();
  if (gpus.empty()) gpus = gpus_from_proc(root);
  std::stable_sort(gpus.begin(), gpus.end(), [](const Gpu& a, const Gpu& b) { return a.name < b.name; });
  return gpus;
}

}  // namespace hf
