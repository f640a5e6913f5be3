/// \file
/// In which state the GPU was while it was measured: its clock, power, temperature, and what limited the clock. Plain
/// C++, so that it is tested without a GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/measure/shared_library.hpp"
#include "harness/report/lab.hpp"
#include "kit/cuda/device_state.hpp"

namespace hf::gpu {

/// The states of a GPU during the steps that measure it.
class Conditions {
 public:
  /// As for cuda::DeviceMonitor.
  explicit Conditions(const std::string& pci_bus_id, const SharedLibrary& nvml = cuda::DeviceMonitor::library())
      : monitor_(pci_bus_id, nvml) {}

  /// Measures a step, and keeps the states that the GPU was in meanwhile.
  void measure(const Step& step, Lab& lab);

  /// Adds to the record a series for each quantity, conditions_clock, conditions_power and conditions_temperature, and one
  /// for each reason that limited the clock, such as conditions_limited_by_power. The label of a point is the id of a series
  /// that a step added, whose figure shows the conditions, or a step and one of its variants. Notes what is missing.
  void add_to(Lab& lab) const;

 private:
  using States = std::vector<cuda::DeviceState>;
  struct Row {
    std::string label;
    States states;
  };

  bool add(Lab& lab, Series series, const std::function<std::vector<double>(const States&)>& samples) const;
  void add_limits(Lab& lab) const;
  void show(Lab& lab) const;

  cuda::DeviceMonitor monitor_;
  std::vector<Row> rows_;   ///< the points of the series
  std::vector<Row> steps_;  ///< all states of each step
};

}  // namespace hf::gpu
