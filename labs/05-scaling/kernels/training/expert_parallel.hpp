/// \file
/// Expert parallelism: each block has several experts and each example goes to one of them. Every rank has some
/// experts, with all their weights, and some rows of the batch; what travels is rows, to their expert and back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/matrix.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// The way of rows from the rank that has them to the one that has their expert, and back. No expert is ever too full.
/// Made by all ranks together.
class Route {
 public:
  /// \param expert_of_row  for each row of this rank
  /// \param experts  of all ranks, as many on each: the first ones on rank 0, the next on rank 1…
  Route(Transport& ranks, std::span<const int> expert_of_row, std::size_t experts);

  /// \param arrived  for each expert of this rank, the rows that all ranks have for it
  void dispatch(View rows, std::vector<Matrix>& arrived);
  /// Each row back to where it came from.
  void combine(std::vector<Matrix>& processed, Matrix& rows);

 private:
  std::size_t global(int rank, std::size_t expert) const { return static_cast<std::size_t>(rank) * here_ + expert; }
  std::size_t count(int from, int to, std::size_t expert) const;
  Range place(int from, std::size_t expert) const;

  Transport& ranks_;
  std::size_t experts_, here_;                      ///< of all ranks; of each
  std::vector<std::vector<std::size_t>> rows_for_;  ///< for each expert of all, the rows of this rank
  std::vector<float> counts_;                       ///< (ranks, experts): rows that a rank has for an expert
  Matrix leaving_, returned_;
};

class ExpertParallel final : public Trainer {
 public:
  /// \param shape  of the network that one example sees
  /// \throws std::invalid_argument where the experts do not divide by the ranks
  ExpertParallel(Transport& ranks, const NetworkShape& shape, std::size_t experts);

  double gradients(const Batch& batch) override;
  void update() override { adam_.update(network_.weights(), network_.gradients()); }
  /// The blocks of this rank's experts: all of the first, then all of the second…
  Network& network() override { return network_; }

 private:
  /// Of one block, for each expert of this rank.
  struct Layer {
    std::vector<Matrix> arrived, hidden, output;
  };
  void forward(Route& route, std::size_t layer);
  void backward(Route& route, std::size_t layer);

  Transport& ranks_;
  std::size_t experts_, here_;  ///< of all ranks; of this one
  Network network_;
  std::vector<Layer> layers_;
  Matrix x_, gradient_, added_;    ///< of this rank's rows: between two blocks; what a block adds
  std::vector<Matrix> gradients_;  ///< that arrived for each expert
  Adam adam_;
};

}  // namespace hf::scaling
