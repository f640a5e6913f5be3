// Data parallelism: every rank has all weights and some rows of the batch; ranks exchange gradients.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {
namespace {

class DataParallel final : public Trainer {
 public:
  DataParallel(Transport& ranks, const NetworkShape& shape, Gradients how)
      : Trainer(
            shape, whole(shape),
            how == Gradients::sharded ? share(shape.weights(), ranks.rank(), ranks.size()).size() : shape.weights()),
        ranks_(ranks),
        how_(how) {
    if (how == Gradients::overlapped) background_.emplace(ranks);
  }

  /// If gradients are sharded, only this rank's block of the network's gradients is valid afterwards.
  double gradients(const Batch& batch) override {
    const Range mine = share(batch.rows(), ranks_.rank(), ranks_.size());
    const Hook ready = [&](std::span<float> block) {
      if (background_) background_->add(block);
    };
    const double loss =
        loss_and_gradients(network_, kept_, ContiguousView(batch.x).row_range(mine.first, mine.last),
                           std::span(batch.labels).subspan(mine.first, mine.size()), batch.rows(), nothing, ready);
    reduce();
    return loss;
  }
  void update() override;

 private:
  void reduce() {
    switch (how_) {
      case Gradients::at_once: return all_reduce_ring(ranks_, network_.gradients());
      case Gradients::overlapped: return background_->finish();
      case Gradients::sharded: return reduce_scatter(ranks_, network_.gradients());
      case Gradients::in_buckets:
        all_reduce_ring(ranks_, network_.head_gradients());
        for (std::size_t b = network_.blocks(); b-- > 0;) all_reduce_ring(ranks_, network_.block_gradients(b));
    }
  }

  Transport& ranks_;
  Gradients how_;
  Kept kept_;
  std::optional<BackgroundSums> background_;
};

// [begin: sharded]
void DataParallel::update() {
  const auto weights = network_.weights(), gradients = network_.gradients();
  if (how_ != Gradients::sharded) return adam_.update(weights, gradients);
  const int n = ranks_.size(), me = ranks_.rank();
  adam_.update(Blocks(weights, n)[me], Blocks(gradients, n)[me]);
  all_gather(ranks_, weights);
}
// [end: sharded]

}  // namespace

std::unique_ptr<Trainer> make_data_parallel(Transport& ranks, const Problem& problem, Gradients how) {
  return std::make_unique<DataParallel>(ranks, problem.shape, how);
}

}  // namespace hf::scaling
