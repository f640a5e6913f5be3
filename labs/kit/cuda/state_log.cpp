#include "kit/cuda/state_log.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace hf::cuda {

void StateLog::note_run(const std::string& id, std::int64_t calls) {
  Readings& readings = of(id);
  if (calls > 2 * readings.most_calls) readings.states.clear();  // so far the variant was only calibrated
  readings.most_calls = std::max(readings.most_calls, calls);
  const bool warm = id == last_, whole = 2 * calls >= readings.most_calls;
  last_ = id;
  if (warm && whole) note(id);
}

StateLog::Readings& StateLog::of(const std::string& id) {
  const auto found = std::ranges::find(readings_, id, &Readings::id);
  return found != readings_.end() ? *found : readings_.emplace_back(Readings{id, {}, 0});
}

}  // namespace hf::cuda
