// A management library of one GPU, which uses 250 mJ between two looks at its counter. What it refuses, the environment
// variable FAKE_NVML says: "start", "find" or "energy".
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0, not_supported = 3, not_found = 6;
int handle = 0;
unsigned long long millijoules = 1000;

bool refuses(const char* what) {
  const char* said = std::getenv("FAKE_NVML");
  return said != nullptr && std::strcmp(said, what) == 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return refuses("start") ? not_supported : success; }
int nvmlShutdown() { return success; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  if (refuses("find") || std::strcmp(bus_id, "0000:07:00.0") != 0) return not_found;
  *device = &handle;
  return success;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* energy) {
  if (refuses("energy") || device != &handle) return not_supported;
  *energy = millijoules += 250;
  return success;
}

int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) {
  *milliwatts = 700'000;
  return device == &handle ? success : not_found;
}

int nvmlDeviceGetClockInfo(void* device, int which, unsigned* megahertz) {
  constexpr int of_multiprocessors = 1;
  *megahertz = which == of_multiprocessors ? 1755 : 2619;
  return device == &handle ? success : not_found;
}
}
