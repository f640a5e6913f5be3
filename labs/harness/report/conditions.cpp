#include "conditions.hpp"

#include <cmath>
#include <ctime>
#include <optional>
#include <string>

#include "harness/measure/clock.hpp"
#include "harness/measure/cores_kept.hpp"

namespace hf {
namespace {

/// Clock changes below this are tolerated: slewing, unlike setting, stays below it in any lab's time.
constexpr double tolerated_seconds = 5;

/// How far the date clock is ahead of the timing clock.
double date_offset() { return static_cast<double>(std::time(nullptr)) - static_cast<double>(now_ns()) * 1e-9; }

std::optional<double> remembered_offset;

[[noreturn]] void refuse(const std::string& what) {
  throw ConditionsChanged(what + "; no record was written, and the previous one is unchanged; run the lab again");
}

}  // namespace

void remember_conditions() { remembered_offset = date_offset(); }

void stop_if_conditions_changed() {
  if (!remembered_offset) return;
  if (const std::string change = change_of_cores(); !change.empty()) {
    refuse("the cores changed during the measurement, " + change +
           " (taskset, a cpuset, or a core switched off or on)");
  }
  const double jump = date_offset() - *remembered_offset;
  if (std::abs(jump) < tolerated_seconds) return;
  refuse("the clock jumped by " + std::to_string(std::lround(jump)) +
         " s during the measurement (it was set, or the machine slept)");
}

}  // namespace hf
