/// \file
/// The states of a device while it is timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kit/cuda/device_state.hpp"

namespace hf::cuda {

/// Reads the device's state while the device works on what is queued. A reading occupies only the processor, and events on
/// the device take the time, so it changes no result.
class StateLog {
 public:
  struct Readings {
    std::string id;  ///< of the variant
    std::vector<DeviceState> states;
    std::int64_t most_calls = 0;  ///< in a run
  };

  explicit StateLog(std::function<DeviceState()> read) : read_(std::move(read)) {}

  /// Notes the state.
  void note(const std::string& id) { of(id).states.push_back(read_()); }

  /// Notes the state in a run of `calls` calls, unless the run is no sample: the first after a run of another variant, which
  /// warms the device up, or one that is much shorter than others of its variant, which calibrates.
  void note_run(const std::string& id, std::int64_t calls);

  /// In the order in which the variants first ran.
  const std::vector<Readings>& readings() const { return readings_; }

 private:
  Readings& of(const std::string& id);

  std::function<DeviceState()> read_;
  std::vector<Readings> readings_;
  std::string last_;
};

/// The log that note_state() and note_run() write to; null if nobody needs the states.
inline StateLog* state_log = nullptr;

/// Call them when the work is queued, before waiting for it.
inline void note_state(const std::string& id) {
  if (state_log != nullptr) state_log->note(id);
}
inline void note_run(const std::string& id, std::int64_t calls) {
  if (state_log != nullptr) state_log->note_run(id, calls);
}

}  // namespace hf::cuda
