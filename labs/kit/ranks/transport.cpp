#include "kit/ranks/transport.hpp"

#include <cstddef>
#include <span>

namespace hf {

void Transport::exchange_add(int to, std::span<const float> out, int from, std::span<float> sum) {
  const std::span<float> arrived = room(sum.size());
  exchange(to, out, from, arrived);
  if (from != nobody) add(sum, arrived);
}

std::span<float> Transport::room(std::size_t count) {
  if (room_.size() < count) room_.resize(count);
  return std::span(room_).first(count);
}

void add(std::span<float> sum, std::span<const float> more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace hf
