/// \file
/// The state of an NVIDIA GPU, read through NVML, the library behind nvidia-smi. It is loaded at run time and needs no
/// root. Plain C++, so that it is tested without a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/measure/shared_library.hpp"

namespace hf::cuda {

/// One reading. What the device does not report is empty.
struct DeviceState {
  std::optional<double> clock_mhz;  ///< of the multiprocessors
  std::optional<double> power_w;
  std::optional<double> celsius;
  std::optional<std::uint64_t> limits;  ///< why the clock is not higher, a bit for each reason: see limit()
};

/// A reason why the clock is not higher.
struct Limit {
  std::string id;    ///< "power", or "0x400" for an unknown one
  std::string text;  ///< "limited by power"
};

/// The reason of one bit of DeviceState::limits, which may be unknown; empty for "the device is idle", which limits nothing.
std::optional<Limit> limit(std::uint64_t bit);

/// Reads the state of one device.
class DeviceMonitor {
 public:
  /// \param pci_bus_id  from cudaDeviceGetPCIBusId(), because NVML numbers the devices differently
  explicit DeviceMonitor(const std::string& pci_bus_id, const SharedLibrary& nvml = library());
  ~DeviceMonitor();
  DeviceMonitor(const DeviceMonitor&) = delete;
  DeviceMonitor& operator=(const DeviceMonitor&) = delete;

  /// The driver's NVML.
  static SharedLibrary library() { return {"libnvidia-ml.so.1"}; }

  /// Why it reads nothing, in one line; empty if it can read.
  const std::string& unavailable() const { return unavailable_; }

  DeviceState read() const;

 private:
  struct Field;
  using Device = void*;
  using Status = int;  ///< 0 for success

  bool check(Status status, const char* call);

  Status (*shutdown_)() = nullptr;
  const char* (*error_string_)(Status) = nullptr;
  Status (*clock_)(Device, int domain, unsigned* mhz) = nullptr;
  Status (*fields_)(Device, int count, void* fields) = nullptr;  // nvmlFieldValue_t*, which only NVML's header defines
  Status (*average_power_)(Device, unsigned* milliwatts) = nullptr;
  Status (*temperature_)(Device, int sensor, unsigned* celsius) = nullptr;
  Status (*limits_)(Device, unsigned long long* reasons) = nullptr;
  Device device_ = nullptr;
  std::string unavailable_;
};

}  // namespace hf::cuda
