#include "03-gpu/chases.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "01-roofline/chase.hpp"

namespace hf::gpu {
namespace {

template <std::size_t... i>
constexpr std::array<ChaseTogether, sizeof...(i)> all_chases(std::index_sequence<i...>) {
  return {chase_together<chase_counts[i]>...};
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
  for (std::size_t part = 0; part < at_.size(); ++part) {
    roofline::RandomCycle cycle(memory.subspan(part * lines, lines));
    cycle.grow(lines);
    at_[part] = cycle.start();
  }
}

void ChaseRing::follow(int count, std::int64_t hops) {
  const ChaseTogether chase = chase_together_for(count);
  std::array<const Line*, most_chases> turn;
  const auto chases = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < chases; ++i) turn[i] = at_[(next_ + i) % at_.size()];
  chase(turn.data(), hops);
  for (std::size_t i = 0; i < chases; ++i) at_[(next_ + i) % at_.size()] = turn[i];
  next_ = (next_ + chases) % at_.size();
}

}  // namespace hf::gpu
