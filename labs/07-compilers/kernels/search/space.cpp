#include "07-compilers/kernels/search/space.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "02-matmul/kernels/schedule.hpp"
#include "07-compilers/kernels/search/candidate.hpp"

namespace hf::compilers {

using matmul::Use;

namespace {

std::vector<std::size_t> sorted(std::vector<std::size_t> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t place_of(const std::vector<std::size_t>& values, std::size_t value) {
  return static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
}

}  // namespace

SearchSpace::SearchSpace(const ProductShape& shape) : base_(chosen_by_hand(shape)) {
  const auto [depth, width] = base_.schedule.blocking;
  rows_ = sorted({2, 4, 6, 8, 10, 12, 14, 16, base_.schedule.tile_rows});
  vectors_ = {1, 2, 3, 4};
  unrolls_ = {1, 4};
  depths_ = sorted({std::max<std::size_t>(depth / 4, 1), depth});
  widths_ = sorted({std::max(width / 4, kernel_lanes), width});
  dimensions_ = {rows_.size(), vectors_.size(), unrolls_.size(), depths_.size(), widths_.size(), 2, 2};
  hand_ = index({place_of(rows_, base_.schedule.tile_rows), place_of(vectors_, base_.vectors),
                 place_of(unrolls_, base_.unroll), place_of(depths_, depth), place_of(widths_, width),
                 base_.schedule.pack_b == Use::always, base_.schedule.panels_outside});
}

std::size_t SearchSpace::size() const {
  std::size_t size = 1;
  for (const std::size_t choices : dimensions_) size *= choices;
  return size;
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
  const std::vector<std::size_t> chosen = choices(index);
  Candidate candidate = base_;
  candidate.schedule.tile_rows = rows_[chosen[0]];
  candidate.vectors = vectors_[chosen[1]];
  candidate.unroll = unrolls_[chosen[2]];
  candidate.schedule.blocking = {depths_[chosen[3]], widths_[chosen[4]]};
  candidate.schedule.pack_b = chosen[5] == 1 ? Use::always : Use::never;
  candidate.schedule.panels_outside = chosen[6] == 1;
  return candidate;
}

}  // namespace hf::compilers
