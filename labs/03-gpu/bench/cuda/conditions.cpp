#include "03-gpu/bench/cuda/conditions.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/lab.hpp"
#include "kit/cuda/device_state.hpp"
#include "kit/cuda/state_log.hpp"

namespace hf::gpu {
namespace {

using cuda::DeviceState;

const Axis row_axis = {"measurement", "1"};

/// Makes a log the one that timed runs write to.
class Listening {
 public:
  explicit Listening(cuda::StateLog& log) { cuda::state_log = &log; }
  ~Listening() { cuda::state_log = nullptr; }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
};

std::vector<double> reported(const std::vector<DeviceState>& states, std::optional<double> DeviceState::*quantity) {
  std::vector<double> numbers;
  for (const DeviceState& state : states) {
    if (state.*quantity) numbers.push_back(*(state.*quantity));
  }
  return numbers;
}

/// The percentage of the states in which this bit is set, among those that tell.
double percent_limited(const std::vector<DeviceState>& states, std::uint64_t bit) {
  double told = 0, limited = 0;
  for (const DeviceState& state : states) {
    told += state.limits.has_value();
    limited += (state.limits.value_or(0) & bit) != 0;
  }
  return told > 0 ? 100 * limited / told : 0;
}

}  // namespace

void Conditions::measure(const Step& step, Lab& lab) {
  const std::size_t series_before = lab.results().series.size();
  cuda::StateLog log([this] { return monitor_.read(); });
  {
    const Listening listening(log);
    step.measure(lab);
  }
  States all;
  for (const cuda::StateLog::Readings& each : log.readings()) {
    if (each.states.empty()) continue;
    rows_.push_back({step.name + ", " + each.id, each.states});
    all.insert(all.end(), each.states.begin(), each.states.end());
  }
  if (all.empty()) return;
  for (std::size_t i = series_before; i < lab.results().series.size(); ++i)
    rows_.push_back({lab.results().series[i].id, all});
  steps_.push_back({step.name, std::move(all)});
}

void Conditions::add_to(Lab& lab) const {
  if (!monitor_.unavailable().empty())
    return lab.note("the GPU's clock, power and temperature are unknown: " + monitor_.unavailable());
  const auto add_quantity = [&](const std::string& name, const char* unit,
                                std::optional<double> DeviceState::*quantity) {
    const auto samples = [=](const States& states) { return reported(states, quantity); };
    if (!add(lab, {"conditions_" + name, name, Kind::measured, row_axis, {name, unit}}, samples) && !rows_.empty())
      lab.note("the GPU's " + name + " is unknown: NVML does not report it");
  };
  add_quantity("clock", "MHz", &DeviceState::clock_mhz);
  add_quantity("power", "W", &DeviceState::power_w);
  add_quantity("temperature", "°C", &DeviceState::celsius);
  show(lab);
  add_limits(lab);
}

void Conditions::show(Lab& lab) const {
  Table table = {"the GPU while it was measured", {"", "MHz", "W", "°C"}, {}};
  for (const Row& row : rows_) {
    std::vector<std::string>& cells = table.rows.emplace_back(1, row.label);
    for (const auto quantity : {&DeviceState::clock_mhz, &DeviceState::power_w, &DeviceState::celsius}) {
      const std::vector<double> numbers = reported(row.states, quantity);
      cells.push_back(numbers.empty() ? "" : std::to_string(std::lround(estimate(numbers).median)));
    }
  }
  if (!table.rows.empty()) lab.show(table);
}

/// Adds a series and a note for each reason that limited the clock.
void Conditions::add_limits(Lab& lab) const {
  std::uint64_t seen = 0;
  for (const Row& row : rows_) {
    for (const DeviceState& state : row.states) seen |= state.limits.value_or(0);
  }
  for (std::uint64_t bit = 1; bit != 0; bit <<= 1) {
    const std::optional<cuda::Limit> limit = (seen & bit) != 0 ? cuda::limit(bit) : std::nullopt;
    if (!limit) continue;
    const auto samples = [&](const States& states) {
      const double percent = percent_limited(states, bit);
      return percent > 0 ? std::vector<double>{percent} : std::vector<double>();
    };
    add(lab, {"conditions_limited_by_" + limit->id, limit->text, Kind::measured, row_axis, {"share of readings", "%"}},
        samples);
    std::string where;
    for (const Row& step : steps_) {
      if (const double percent = percent_limited(step.states, bit); percent > 0)
        where +=
            (where.empty() ? "" : "; ") + step.label + " (" + std::to_string(std::lround(percent)) + "% of readings)";
    }
    lab.note("the GPU's clock was " + limit->text + ": " + where);
  }
}

/// Adds a point for each row that has samples. \return whether any has
bool Conditions::add(Lab& lab, Series series, const std::function<std::vector<double>(const States&)>& samples) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::vector<double> of_row = samples(rows_[i].states);
    if (!of_row.empty())
      series.points.emplace_back(static_cast<double>(i + 1), estimate(std::move(of_row)), rows_[i].label);
  }
  if (series.points.empty()) return false;
  lab.add(std::move(series));
  return true;
}

}  // namespace hf::gpu
