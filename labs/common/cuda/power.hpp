/// \file
/// What a GPU draws, as its driver tells. Plain C++: the management library is loaded if it is there.
#pragma once

#include <functional>
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

  /// The clock of the multiprocessors now, GHz; nothing when it does not tell.
  std::optional<double> clock_ghz() const;

 private:
  template <class Number, class... Which>
  std::optional<double> read(const char* function, double unit, Which... which) const;

  SharedLibrary library_;
  void* device_ = nullptr;
  bool started_ = false;
  std::string missing_;
};

/// What a board drew, and the clock its multiprocessors ran at, on average.
struct Draw {
  double watts;      ///< 0 where the counter stood still
  double clock_ghz;  ///< 0 where it is not told
};

/// What is drawn while \p pass_time is called again and again, as often as the counter is to be looked at. The counter
/// steps now and then: time is taken from step to step.
/// \param seconds  to average over, at least, after half as long in which power settles
Draw draw_while(const PowerMeter& meter, const std::function<void()>& pass_time, double seconds);

/// What is drawn while nobody asks the device for anything.
Draw idle_draw(const PowerMeter& meter, double seconds);

}  // namespace hf::cuda
