#include "07-compilers/kernels/search/candidate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/vector.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/gemm_driver.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/schedule.hpp"

namespace hf::compilers {

using matmul::Use;

const std::size_t kernel_lanes = lanes, kernel_registers = vector_registers;

std::string ProductShape::text() const { return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k); }

// Each is instantiated in a source file of its own: see candidate_kernels.hpp.
template <std::size_t vectors>
void multiply_wide(const Candidate&, const ProductShape&, const float*, const float*, float*);

void multiply(const Candidate& candidate, const ProductShape& shape, const float* a, const float* b, float* c) {
  constexpr std::array wide = {multiply_wide<1>, multiply_wide<2>, multiply_wide<3>, multiply_wide<4>};
  static_assert(wide.size() == most_tile_vectors);
  wide[candidate.vectors - 1](candidate, shape, a, b, c);
}

Candidate chosen_by_hand(const ProductShape& shape) {
  using Tile = matmul::TileKernels<matmul::tile_rows, matmul::tile_columns / lanes>;
  const auto& [m, n, k] = shape;
  const matmul::Division all =
      matmul::divide<Tile>(m, n, k, {nullptr, k}, {nullptr, n}, {.blocking = matmul::default_blocking()});
  return {
      .vectors = Tile::columns / lanes,
      .unroll = 1,
      .schedule = {
          .blocking = {all.depth, all.width}, .tile_rows = Tile::rows, .pack_b = all.pack ? Use::always : Use::never}};
}

SearchSpace::SearchSpace(const ProductShape& shape) : base_(chosen_by_hand(shape)) {
  std::vector<std::size_t> by_hand;
  const auto choose = [&](std::set<std::size_t> among, std::size_t hand) {
    among.insert(hand);
    by_hand.push_back(static_cast<std::size_t>(std::distance(among.begin(), among.find(hand))));
    values_.emplace_back(among.begin(), among.end());
    dimensions_.push_back(among.size());
  };
  const matmul::Schedule& schedule = base_.schedule;
  const auto [depth, width] = schedule.blocking;
  choose({2, 4, 6, 8, 10, 12, 14, 16}, schedule.tile_rows);
  choose({1, 2, 3, 4}, base_.vectors);
  choose({1, 4}, base_.unroll);
  choose({std::max<std::size_t>(depth / 4, 1)}, depth);
  choose({std::max(width / 4, kernel_lanes)}, width);
  choose({false, true}, schedule.pack_b == Use::always);
  choose({false, true}, schedule.panels_outside);
  hand_ = index(by_hand);
}

std::size_t SearchSpace::size() const {
  return std::accumulate(dimensions_.begin(), dimensions_.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<std::size_t> SearchSpace::choices(std::size_t index) const {
  std::vector<std::size_t> choices;
  for (const std::size_t count : dimensions_) {
    choices.push_back(index % count);
    index /= count;
  }
  return choices;
}

std::size_t SearchSpace::index(const std::vector<std::size_t>& choices) const {
  std::size_t index = 0;
  for (std::size_t d = dimensions_.size(); d-- > 0;) index = index * dimensions_[d] + choices[d];
  return index;
}

Candidate SearchSpace::candidate(std::size_t index) const {
  std::vector<std::size_t> value = choices(index);
  for (std::size_t d = 0; d < value.size(); ++d) value[d] = values_[d][value[d]];
  Candidate candidate = base_;
  candidate.vectors = value[1];
  candidate.unroll = value[2];
  candidate.schedule.tile_rows = value[0];
  candidate.schedule.blocking = {value[3], value[4]};
  candidate.schedule.pack_b = value[5] != 0 ? Use::always : Use::never;
  candidate.schedule.panels_outside = value[6] != 0;
  return candidate;
}

}  // namespace hf::compilers
