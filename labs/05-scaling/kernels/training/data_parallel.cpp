#include "05-scaling/kernels/training/data_parallel.hpp"

#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/transport.hpp"
#include "harness/threads.hpp"

namespace hf::scaling {

BackgroundSums::BackgroundSums(Transport& ranks)
    : ranks_(ranks), thread_([this] {
        unpin();  // beside the one that computes, if there is a core to spare
        work();
      }) {}

BackgroundSums::~BackgroundSums() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundSums::add(std::span<float> numbers) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(numbers);
  }
  changed_.notify_all();
}

void BackgroundSums::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty(); });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void BackgroundSums::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::span<float> numbers = waiting_.front();
    lock.unlock();  // whoever computes may add more meanwhile
    try {
      if (!error_) all_reduce_ring(ranks_, numbers);
    } catch (...) {
      error_ = std::current_exception();
    }
    lock.lock();
    waiting_.pop_front();
    changed_.notify_all();
  }
}

namespace {

/// Weights of which this rank keeps the optimiser's state.
std::size_t updated_here(Transport& ranks, const NetworkShape& shape, Gradients how) {
  return how == Gradients::sharded ? share(shape.weights(), ranks.rank(), ranks.size()).size() : shape.weights();
}

}  // namespace

DataParallel::DataParallel(Transport& ranks, const NetworkShape& shape, Gradients how)
    : ranks_(ranks), how_(how), network_(shape, whole(shape)), adam_(updated_here(ranks, shape, how)) {
  if (how == Gradients::overlapped) background_.emplace(ranks);
}

double DataParallel::gradients(const Batch& batch) {
  const Range mine = share(batch.rows(), ranks_.rank(), ranks_.size());
  const Hook ready = [&](std::span<float> block) {
    if (background_) background_->add(block);
  };
  const double loss =
      loss_and_gradients(network_, kept_, View(batch.x).row_range(mine.first, mine.last),
                         std::span(batch.labels).subspan(mine.first, mine.size()), batch.rows(), nothing, ready);
  reduce();
  return loss;
}

void DataParallel::reduce() {
  switch (how_) {
    case Gradients::at_once: return all_reduce_ring(ranks_, network_.gradients());
    case Gradients::overlapped: return background_->finish();
    case Gradients::sharded: return reduce_scatter(ranks_, network_.gradients());
    case Gradients::in_buckets:
      all_reduce_ring(ranks_, network_.head_gradients());
      for (std::size_t b = network_.blocks(); b-- > 0;) all_reduce_ring(ranks_, network_.block_gradients(b));
  }
}

// [begin: sharded]
void DataParallel::update() {
  const auto weights = network_.weights(), gradients = network_.gradients();
  if (how_ != Gradients::sharded) return adam_.update(weights, gradients);
  const int n = ranks_.size(), me = ranks_.rank();
  adam_.update(Blocks(weights, n)[me], Blocks(gradients, n)[me]);
  all_gather(ranks_, weights);
}
// [end: sharded]

}  // namespace hf::scaling
