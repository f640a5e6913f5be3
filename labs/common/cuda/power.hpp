/// \file
/// What a GPU draws, as its driver tells. Plain C++: the management library is loaded if it is there.
#pragma once

#include <optional>
#include <string>

#include "harness/shared_library.hpp"

namespace hf::cuda {

/// The energy counter of one GPU (NVML, NVIDIA's "NVML API Reference Guide").
class PowerMeter {
 public:
  /// \param bus_id  of the GPU, as cudaDeviceGetPCIBusId() gives it
  explicit PowerMeter(const std::string& bus_id, const char* library = "libnvidia-ml.so.1");
  ~PowerMeter();
  PowerMeter(const PowerMeter&) = delete;
  PowerMeter& operator=(const PowerMeter&) = delete;

  /// Why nothing can be read, in a few words: "no NVML here"; empty when it can.
  const std::string& missing() const { return missing_; }

  /// Energy used since the driver was loaded, J; nothing when the counter does not answer. It steps a few times to some
  /// tens of times a second.
  std::optional<double> joules() const;

  /// The power the board is held to, W; nothing when it does not tell.
  std::optional<double> limit_watts() const;

 private:
  template <class Number>
  std::optional<double> read(const char* function, double unit) const;

  SharedLibrary library_;
  void* device_ = nullptr;
  bool started_ = false;
  std::string missing_;
};

}  // namespace hf::cuda
