#include "05-scaling/kernels/training/expert_parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/matrix.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {
namespace {

/// Every expert's blocks, one after the other.
NetworkShape all_experts(NetworkShape shape, std::size_t experts) {
  shape.blocks *= experts;
  return shape;
}

std::size_t experts_on_each(const Transport& ranks, std::size_t experts) {
  const auto n = static_cast<std::size_t>(ranks.size());
  if (experts % n != 0) throw std::invalid_argument("ExpertParallel: expected as many experts on each rank");
  return experts / n;
}

std::span<float> rows_of(Matrix& matrix, Range rows) {
  return matrix.numbers().subspan(rows.first * matrix.columns(), rows.size() * matrix.columns());
}

/// What a rank has for itself does not travel.
void exchange(Transport& ranks, int to, std::span<const float> out, int from, std::span<float> in) {
  if (to != ranks.rank()) return ranks.exchange(to, out, from, in);
  std::ranges::copy(out, in.begin());
}

}  // namespace

Route::Route(Transport& ranks, std::span<const int> expert_of_row, std::size_t experts)
    : ranks_(ranks), experts_(experts), here_(experts_on_each(ranks, experts)), rows_for_(experts) {
  for (std::size_t i = 0; i < expert_of_row.size(); ++i) {
    rows_for_.at(static_cast<std::size_t>(expert_of_row[i])).push_back(i);
  }
  counts_.resize(static_cast<std::size_t>(ranks.size()) * experts);
  for (std::size_t e = 0; e < experts; ++e) {
    counts_[static_cast<std::size_t>(ranks.rank()) * experts + e] = static_cast<float>(rows_for_[e].size());
  }
  all_gather(ranks, counts_);
}

/// Rows of rank `from` for an expert of rank `to`.
std::size_t Route::count(int from, int to, std::size_t expert) const {
  return static_cast<std::size_t>(counts_[static_cast<std::size_t>(from) * experts_ + global(to, expert)]);
}

/// Where the rows of rank `from` lie among all that arrive for an expert of this rank.
Range Route::place(int from, std::size_t expert) const {
  std::size_t first = 0;
  for (int rank = 0; rank < from; ++rank) first += count(rank, ranks_.rank(), expert);
  return {first, first + count(from, ranks_.rank(), expert)};
}

void Route::dispatch(View rows, std::vector<Matrix>& arrived) {
  const int n = ranks_.size(), me = ranks_.rank();
  arrived.resize(here_);
  for (std::size_t expert = 0; expert < here_; ++expert) {
    arrived[expert].resize(place(n - 1, expert).last, rows.columns);
    for (int step = 0; step < n; ++step) {
      const int to = (me + step) % n, from = (me - step + n) % n;
      const std::vector<std::size_t>& for_them = rows_for_[global(to, expert)];
      leaving_.resize(for_them.size(), rows.columns);
      for (std::size_t i = 0; i < for_them.size(); ++i) {
        std::copy_n(rows.row(for_them[i]), rows.columns, leaving_.row(i));
      }
      exchange(ranks_, to, leaving_.numbers(), from, rows_of(arrived[expert], place(from, expert)));
    }
  }
}

void Route::combine(std::vector<Matrix>& processed, Matrix& rows) {
  const int n = ranks_.size(), me = ranks_.rank();
  for (std::size_t expert = 0; expert < here_; ++expert) {
    for (int step = 0; step < n; ++step) {
      const int to = (me + step) % n, from = (me - step + n) % n;
      const std::vector<std::size_t>& from_them = rows_for_[global(from, expert)];
      returned_.resize(from_them.size(), rows.columns());
      exchange(ranks_, to, rows_of(processed[expert], place(to, expert)), from, returned_.numbers());
      for (std::size_t i = 0; i < from_them.size(); ++i) {
        std::copy_n(returned_.row(i), rows.columns(), rows.row(from_them[i]));
      }
    }
  }
}

ExpertParallel::ExpertParallel(Transport& ranks, const NetworkShape& shape, std::size_t experts)
    : ranks_(ranks),
      experts_(experts),
      here_(experts_on_each(ranks, experts)),
      network_(all_experts(shape, experts),
               {share(shape.blocks * experts, ranks.rank(), ranks.size()), {0, shape.hidden}, true}),
      layers_(shape.blocks, {{}, std::vector<Matrix>(here_), std::vector<Matrix>(here_)}),
      adam_(network_.weights().size()) {}

double ExpertParallel::gradients(const Batch& batch) {
  const Range mine = share(batch.rows(), ranks_.rank(), ranks_.size());
  const View x = View(batch.x).row_range(mine.first, mine.last);
  Route route(ranks_, choose_experts(x, experts_), experts_);
  network_.clear_gradients();
  x_.copy(x);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) forward(route, layer);
  const double loss =
      network_.loss(x_, std::span(batch.labels).subspan(mine.first, mine.size()), batch.rows(), gradient_);
  all_reduce_ring(ranks_, network_.head_gradients());  // the experts' need no sum: all their rows have been here
  for (std::size_t layer = layers_.size(); layer-- > 0;) backward(route, layer);
  return loss;
}

void ExpertParallel::forward(Route& route, std::size_t layer) {
  auto& [arrived, hidden, output] = layers_[layer];
  route.dispatch(x_, arrived);
  for (std::size_t e = 0; e < here_; ++e) {
    network_.branch_forward(e * layers_.size() + layer, arrived[e], hidden[e], output[e]);
  }
  added_.resize(x_.rows(), x_.columns());
  route.combine(output, added_);
  add(x_.numbers(), added_.numbers());
}

void ExpertParallel::backward(Route& route, std::size_t layer) {
  auto& [arrived, hidden, output] = layers_[layer];
  route.dispatch(gradient_, gradients_);
  for (std::size_t e = 0; e < here_; ++e) {
    network_.branch_backward(e * layers_.size() + layer, arrived[e], hidden[e], gradients_[e], output[e]);
  }
  added_.resize(x_.rows(), x_.columns());
  route.combine(output, added_);
  add(gradient_.numbers(), added_.numbers());
}

}  // namespace hf::scaling
