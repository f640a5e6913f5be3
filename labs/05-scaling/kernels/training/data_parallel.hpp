/// \file
/// Data parallelism: every rank has all weights and some rows of the batch; what travels is gradients.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// A thread that adds up numbers over all ranks, in the order in which it is given them. From the first add() to the
/// end of finish() the transport is its own.
class BackgroundSums {
 public:
  explicit BackgroundSums(Transport& ranks);
  ~BackgroundSums();
  BackgroundSums(const BackgroundSums&) = delete;
  BackgroundSums& operator=(const BackgroundSums&) = delete;

  /// Not to be touched until finish(). Every rank gives as many, in the same order.
  void add(std::span<float> numbers);

  /// Returns when all sums are there. \throws what the transport threw
  void finish();

 private:
  void work();

  Transport& ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::span<float>> waiting_;  ///< the first is being added up
  bool over_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

/// How gradients get to all ranks.
enum class Gradients {
  at_once,     ///< one all-reduce of all of them, after the backward pass
  in_buckets,  ///< one for each block, after the backward pass
  overlapped,  ///< the same, each as soon as the backward pass has left the block
  sharded      ///< reduce-scatter; each rank updates its share of the weights; all-gather (ZeRO, stage 1)
};

class DataParallel final : public Trainer {
 public:
  DataParallel(Transport& ranks, const NetworkShape& shape, Gradients how);

  /// Where they are sharded, only this rank's block of the network's gradients is of use.
  double gradients(const Batch& batch) override;
  void update() override;
  Network& network() override { return network_; }

  /// Bytes of this rank's part of the optimiser's state.
  std::size_t optimiser_bytes() const { return adam_.bytes(); }

 private:
  void reduce();

  Transport& ranks_;
  Gradients how_;
  Network network_;
  Kept kept_;
  Adam adam_;
  std::optional<BackgroundSums> background_;
};

}  // namespace hf::scaling
