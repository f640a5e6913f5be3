#include "yours/arrays.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "harness/measure/memory.hpp"
#include "kit/random.hpp"
#include "yours/guarded.hpp"
#include "yours/trial.hpp"

namespace hf::yours {

Arrays::Arrays(Place place, const std::vector<Array>& arrays) {
  for (const Array& each : arrays) {
    Held held = {each, nullptr, {}, nullptr};
    if (place == Place::guarded) {
      held.guarded = std::make_unique<GuardedArray>(each.name, each.count, each.element_bytes);
    } else {
      held.buffer = Buffer(each.count * each.element_bytes, Pages::huge);
    }
    held.bytes = held.guarded ? held.guarded->bytes() : held.buffer.data();
    arrays_.push_back(std::move(held));
  }
}

void Arrays::renew() {
  static std::uint64_t unused = 1;
  sequence_ = unused;
  unused += arrays_.size();
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const auto& [array, guarded, buffer, bytes] = arrays_[i];
    if (guarded) guarded->forbid_writes(nullptr);
    if (array.role == Role::output)
      std::ranges::fill(numbers(i), std::numeric_limits<float>::quiet_NaN());
    else
      fill(i);
    if (guarded && array.role == Role::input) guarded->forbid_writes(", which is an input");
  }
}

void Arrays::close(std::size_t i) const {
  if (arrays_[i].array.role != Role::input) arrays_[i].guarded->forbid_writes(" after it has returned");
}

void Arrays::settle() const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) close(i);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (const Held& each : arrays_) {
    if (!each.guarded->intact()) throw Wrong("writes before the start of " + each.array.name);
  }
}

void Arrays::fill(std::size_t i) { fill_random(numbers(i), sequence(i)); }

std::span<float> Arrays::numbers(std::size_t i) const {
  return {data(i), arrays_[i].array.count * arrays_[i].array.element_bytes / sizeof(float)};
}

std::vector<std::span<const float>> Arrays::all_numbers() const {
  std::vector<std::span<const float>> all;
  for (std::size_t i = 0; i < arrays_.size(); ++i) all.emplace_back(numbers(i));
  return all;
}

}  // namespace hf::yours
