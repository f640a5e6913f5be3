// Expert parallelism: each block has several experts and each example goes to one of them. Every rank has some
// experts, with all their weights, and some rows of the batch; ranks send rows to their experts and back.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "kit/learning/matrix.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {
namespace {

/// Returns the network with every expert's blocks, one after the other.
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

/// Exchanges messages; copies a rank's message to itself.
void exchange(Transport& ranks, int to, std::span<const float> out, int from, std::span<float> in) {
  if (to != ranks.rank()) return ranks.exchange(to, out, from, in);
  std::ranges::copy(out, in.begin());
}

/// Routes rows from their own rank to the rank of their expert, and back. Experts have no capacity limit. All ranks
/// must construct it together.
class Route {
 public:
  /// \param expert_of_row  the expert of each row of this rank
  /// \param experts  on all ranks, equally many on each: the first ones on rank 0, the next on rank 1…
  Route(Transport& ranks, std::span<const int> expert_of_row, std::size_t experts)
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

  /// Sends rows to their experts. \param arrived  for each expert of this rank, the rows that all ranks sent to it
  void dispatch(ContiguousView rows, std::vector<Matrix>& arrived) {
    arrived.resize(here_);
    for (std::size_t expert = 0; expert < here_; ++expert) {
      arrived[expert].resize(place(ranks_.size() - 1, expert).last, rows.columns);
    }
    exchange_all([&](std::size_t expert, int to, int from) {
      const std::vector<std::size_t>& for_them = rows_for_[global(to, expert)];
      leaving_.resize(for_them.size(), rows.columns);
      for (std::size_t i = 0; i < for_them.size(); ++i) {
        std::copy_n(rows.row(for_them[i]), rows.columns, leaving_.row(i));
      }
      exchange(ranks_, to, leaving_.numbers(), from, rows_of(arrived[expert], place(from, expert)));
    });
  }

  /// Sends each row back to where it came from.
  void combine(std::vector<Matrix>& processed, Matrix& rows) {
    exchange_all([&](std::size_t expert, int to, int from) {
      const std::vector<std::size_t>& from_them = rows_for_[global(from, expert)];
      returned_.resize(from_them.size(), rows.columns());
      exchange(ranks_, to, rows_of(processed[expert], place(to, expert)), from, returned_.numbers());
      for (std::size_t i = 0; i < from_them.size(); ++i) {
        std::copy_n(returned_.row(i), rows.columns(), rows.row(from_them[i]));
      }
    });
  }

 private:
  /// Calls `exchange` for each expert of a rank, with one rank after another.
  template <class Exchange>
  void exchange_all(Exchange exchange) {
    const int n = ranks_.size(), me = ranks_.rank();
    for (std::size_t expert = 0; expert < here_; ++expert) {
      for (int step = 0; step < n; ++step) exchange(expert, (me + step) % n, (me - step + n) % n);
    }
  }

  std::size_t global(int rank, std::size_t expert) const { return static_cast<std::size_t>(rank) * here_ + expert; }

  /// Returns the number of rows of rank `from` for an expert of rank `to`.
  std::size_t count(int from, int to, std::size_t expert) const {
    return static_cast<std::size_t>(counts_[static_cast<std::size_t>(from) * experts_ + global(to, expert)]);
  }

  /// Returns where the rows of rank `from` are among all that arrive for an expert of this rank.
  Range place(int from, std::size_t expert) const {
    std::size_t first = 0;
    for (int rank = 0; rank < from; ++rank) first += count(rank, ranks_.rank(), expert);
    return {first, first + count(from, ranks_.rank(), expert)};
  }

  Transport& ranks_;
  std::size_t experts_, here_;                      ///< on all ranks; on each
  std::vector<std::vector<std::size_t>> rows_for_;  ///< for each expert on any rank, the rows of this rank
  std::vector<float> counts_;                       ///< (ranks, experts): how many rows a rank has for an expert
  Matrix leaving_, returned_;
};

/// Trains a network of this rank's experts: all blocks of the first expert, then all of the second…
class ExpertParallel final : public Trainer {
 public:
  /// \param shape  of the network that one example passes through
  ExpertParallel(Transport& ranks, const NetworkShape& shape, std::size_t experts)
      : Trainer(all_experts(shape, experts),
                {share(shape.blocks * experts, ranks.rank(), ranks.size()), {0, shape.hidden}, true}),
        ranks_(ranks),
        experts_(experts),
        here_(experts_on_each(ranks, experts)),
        layers_(shape.blocks, {{}, std::vector<Matrix>(here_), std::vector<Matrix>(here_)}) {}

  double gradients(const Batch& batch) override {
    const Range mine = share(batch.rows(), ranks_.rank(), ranks_.size());
    const ContiguousView x = ContiguousView(batch.x).row_range(mine.first, mine.last);
    Route route(ranks_, choose_experts(x, experts_), experts_);
    network_.clear_gradients();
    x_.copy(x);
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) forward(route, layer);
    const double loss =
        network_.loss(x_, std::span(batch.labels).subspan(mine.first, mine.size()), batch.rows(), gradient_);
    all_reduce_ring(ranks_, network_.head_gradients());  // the experts' are complete: all their rows came here
    for (std::size_t layer = layers_.size(); layer-- > 0;) backward(route, layer);
    return loss;
  }

 private:
  void forward(Route& route, std::size_t layer) {
    auto& [arrived, hidden, output] = layers_[layer];
    route.dispatch(x_, arrived);
    for (std::size_t e = 0; e < here_; ++e) {
      network_.branch_forward(e * layers_.size() + layer, arrived[e], hidden[e], output[e]);
    }
    combine(route, output, x_);
  }

  void backward(Route& route, std::size_t layer) {
    auto& [arrived, hidden, output] = layers_[layer];
    route.dispatch(gradient_, gradients_);
    for (std::size_t e = 0; e < here_; ++e) {
      network_.branch_backward(e * layers_.size() + layer, arrived[e], hidden[e], gradients_[e], output[e]);
    }
    combine(route, output, gradient_);
  }

  /// Adds the experts' outputs to the matrix whose rows they got.
  void combine(Route& route, std::vector<Matrix>& output, Matrix& to) {
    added_.resize(to.rows(), to.columns());
    route.combine(output, added_);
    add(to.numbers(), added_.numbers());
  }

  /// The activations of one block, for each expert of this rank.
  struct Layer {
    std::vector<Matrix> arrived, hidden, output;
  };

  Transport& ranks_;
  std::size_t experts_, here_;  ///< on all ranks; on this one
  std::vector<Layer> layers_;
  Matrix x_, gradient_, added_;    ///< for this rank's rows: x and its gradient between two blocks; what a block adds
  std::vector<Matrix> gradients_;  ///< that arrived for each expert
};

}  // namespace

std::unique_ptr<Trainer> make_expert_parallel(Transport& ranks, const Problem& problem) {
  return std::make_unique<ExpertParallel>(ranks, problem.shape, problem.experts);
}

}  // namespace hf::scaling
