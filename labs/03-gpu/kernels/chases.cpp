#include "03-gpu/kernels/chases.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness/measure/keep.hpp"
#include "kit/random.hpp"
#include "kit/streams/chase.hpp"

namespace hf::gpu {
namespace {

template <std::size_t... i>
constexpr std::array<ChaseTogether, sizeof...(i)> all_chases(std::index_sequence<i...>) {
  return {chase_together<chase_counts[i]>...};
}

/// Line i of a part. Consecutive lines form groups with one line of each part. The order of the parts changes from
/// group to group, or all lines of a part would share a few sets of a cache.
Line& line_of(std::span<Line> memory, std::size_t part, std::size_t i) {
  constexpr std::size_t parts = most_chases;
  return memory[i * parts + (part + random_below(most_chases, i, parts)) % parts];
}

/// The same pointer, but not available before `zero`.
const Line* later(const Line* at, std::uintptr_t zero) {
  return reinterpret_cast<const Line*>(reinterpret_cast<std::uintptr_t>(at) + zero);
}

constexpr auto chases = all_chases(std::make_index_sequence<chase_counts.size()>());

}  // namespace

ChaseTogether chase_together_for(int count) {
  const auto found = std::find(chase_counts.begin(), chase_counts.end(), count);
  if (found == chase_counts.end())
    throw std::invalid_argument("chase_together_for: " + std::to_string(count) + " is none of chase_counts");
  return chases[static_cast<std::size_t>(found - chase_counts.begin())];
}

ChaseRing::ChaseRing(std::span<Line> memory) {
  const std::size_t lines = memory.size() / at_.size();
  if (lines == 0) throw std::invalid_argument("ChaseRing: expected memory for a line in each cycle");
  for (std::size_t part = 0; part < at_.size(); ++part) {
    const auto line = [=](std::size_t i) -> Line& { return line_of(memory, part, i); };
    line(0).next = &line(0);
    roofline::add_to_cycle(line, 1, lines, part);
    at_[part] = &line(0);
  }
}

void ChaseRing::follow(int count, std::int64_t hops) {
  const ChaseTogether chase = chase_together_for(count);
  std::array<const Line*, most_chases> turn;
  const auto chases = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < chases; ++i) turn[i] = later(at_[(next_ + i) % at_.size()], zero_);
  chase(turn.data(), hops);
  std::uintptr_t ends = 0, no_bits = 0;
  change(no_bits);
  for (std::size_t i = 0; i < chases; ++i) {
    at_[(next_ + i) % at_.size()] = turn[i];
    ends |= reinterpret_cast<std::uintptr_t>(turn[i]);
  }
  zero_ = ends & no_bits;
  next_ = (next_ + chases) % at_.size();
}

}  // namespace hf::gpu
