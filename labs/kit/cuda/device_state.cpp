#include "kit/cuda/device_state.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "harness/measure/shared_library.hpp"

namespace hf::cuda {
namespace {

constexpr int success = 0, multiprocessors = 1 /* NVML_CLOCK_SM */, gpu_sensor = 0 /* NVML_TEMPERATURE_GPU */;
constexpr unsigned power_now = 186;  // NVML_FI_DEV_POWER_INSTANT: nvmlDeviceGetPowerUsage() averages over a second

struct KnownLimit {
  std::uint64_t bit;
  const char *id, *by;
};

constexpr std::uint64_t idle = 0x1;
constexpr std::array<KnownLimit, 8> known_limits = {{{0x2, "clock_setting", "a clock that was set"},
                                                     {0x4, "power", "power"},
                                                     {0x8, "hardware", "a slowdown of the hardware"},
                                                     {0x10, "sync_boost", "the GPUs that share its clock"},
                                                     {0x20, "heat", "heat"},
                                                     {0x40, "heat_in_hardware", "heat, in hardware"},
                                                     {0x80, "power_brake", "the power supply"},
                                                     {0x100, "display", "a display"}}};

}  // namespace

/// nvmlFieldValue_t, whose last part is a union of 8 bytes.
struct DeviceMonitor::Field {
  unsigned id;
  unsigned scope = 0;
  long long timestamp = 0, latency_us = 0;
  unsigned type = 0;
  Status status = success;
  alignas(8) unsigned number = 0;
};

std::optional<Limit> limit(std::uint64_t bit) {
  if (bit == idle) return std::nullopt;
  for (const KnownLimit& known : known_limits) {
    if (known.bit == bit) return Limit{known.id, std::string("limited by ") + known.by};
  }
  char hex[32] = "";
  std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(bit));
  return Limit{hex, std::string("limited by an unknown reason, ") + hex};
}

DeviceMonitor::DeviceMonitor(const std::string& pci_bus_id, const SharedLibrary& nvml) {
  if (!nvml) {
    unavailable_ = "libnvidia-ml.so.1 is missing";
    return;
  }
  const auto init = nvml.function<Status()>("nvmlInit_v2");
  const auto find = nvml.function<Status(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || find == nullptr) {
    unavailable_ = "libnvidia-ml.so.1 has no nvmlInit_v2 or no nvmlDeviceGetHandleByPciBusId_v2";
    return;
  }
  error_string_ = nvml.function<const char*(Status)>("nvmlErrorString");
  if (!check(init(), "nvmlInit_v2")) return;
  shutdown_ = nvml.function<Status()>("nvmlShutdown");
  if (!check(find(pci_bus_id.c_str(), &device_), "nvmlDeviceGetHandleByPciBusId_v2")) return;
  clock_ = nvml.function<Status(Device, int, unsigned*)>("nvmlDeviceGetClockInfo");
  fields_ = nvml.function<Status(Device, int, void*)>("nvmlDeviceGetFieldValues");
  average_power_ = nvml.function<Status(Device, unsigned*)>("nvmlDeviceGetPowerUsage");
  temperature_ = nvml.function<Status(Device, int, unsigned*)>("nvmlDeviceGetTemperature");
  limits_ = nvml.function<Status(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksEventReasons");
  if (limits_ == nullptr)  // before driver 535
    limits_ = nvml.function<Status(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
}

DeviceMonitor::~DeviceMonitor() {
  if (shutdown_ != nullptr) shutdown_();
}

bool DeviceMonitor::check(Status status, const char* call) {
  if (status == success) return true;
  unavailable_ = std::string(call) + ": " +
                 (error_string_ != nullptr ? error_string_(status) : "status " + std::to_string(status));
  return false;
}

DeviceState DeviceMonitor::read() const {
  DeviceState state;
  if (!unavailable_.empty()) return state;
  unsigned number = 0;
  unsigned long long reasons = 0;
  Field power = {.id = power_now};
  if (clock_ != nullptr && clock_(device_, multiprocessors, &number) == success && number > 0) state.clock_mhz = number;
  if (fields_ != nullptr && fields_(device_, 1, &power) == success && power.status == success)
    number = power.number;
  else if (average_power_ == nullptr || average_power_(device_, &number) != success)
    number = 0;
  if (number > 0) state.power_w = number * 1e-3;
  if (temperature_ != nullptr && temperature_(device_, gpu_sensor, &number) == success) state.celsius = number;
  if (limits_ != nullptr && limits_(device_, &reasons) == success) state.limits = reasons;
  return state;
}

}  // namespace hf::cuda
