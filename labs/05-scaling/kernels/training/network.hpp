/// \file
/// A small network that can be split: blocks of two matrices, each with a residual around it, and a head that
/// classifies. A rank's part is itself a network, with fewer blocks or with fewer hidden neurons in each block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "kit/learning/matrix.hpp"

namespace hf::scaling {

/// In each block, x + relu(x · up) · down; at the end, x · head.
struct NetworkShape {
  std::size_t width;   ///< numbers in a row of x
  std::size_t hidden;  ///< columns of up, rows of down
  std::size_t blocks;
  std::size_t classes;  ///< columns of the head

  std::size_t block_weights() const { return 2 * width * hidden; }
  std::size_t weights() const { return blocks * block_weights() + width * classes; }
};

/// The part of a network on a rank.
struct NetworkPart {
  Range blocks, neurons;
  bool head;
};
NetworkPart whole(const NetworkShape& shape);

/// The results of a forward pass that the backward pass needs.
struct Kept {
  std::vector<Matrix> x;       ///< the input of each block, then the output of the last: (rows, width)
  std::vector<Matrix> hidden;  ///< after relu: (rows, hidden)
};

/// Called with numbers as soon as they are computed.
using Hook = std::function<void(std::span<float>)>;
inline void nothing(std::span<float>) {}

class Network {
 public:
  /// Gives a part the same weights as the whole network has there.
  Network(const NetworkShape& shape, const NetworkPart& part);

  const NetworkPart& part() const { return part_; }
  std::size_t blocks() const { return part_.blocks.size(); }

  /// Weights and their gradients, in this order: up and down of each block, then the head.
  std::span<float> weights() { return weights_; }
  std::span<float> gradients() { return gradients_; }
  std::span<float> block_gradients(std::size_t block);
  std::span<float> head_gradients();
  void clear_gradients();

  /// Fills `kept`.
  /// \param sum  called with what this part's hidden neurons add to x; sums it over ranks if others have the rest
  void forward(ContiguousView x, Kept& kept, const Hook& sum = nothing) const;

  /// Returns these rows' share of the mean cross-entropy, after the softmax of the head, over `of_all` rows; adds to
  /// the head's gradients.
  /// \param x  output of the last block
  /// \param gradient  becomes the gradient of x
  /// \param ready  called with the head's gradients
  double loss(ContiguousView x, std::span<const int> labels, std::size_t of_all, Matrix& gradient,
              const Hook& ready = nothing);

  /// Adds to the gradients of the blocks, from the last to the first.
  /// \param gradient  of the last block's output; becomes that of the first block's input
  /// \param sum  as in forward()
  /// \param ready  called with each block's gradients as soon as they are computed
  void backward(const Kept& kept, Matrix& gradient, const Hook& sum = nothing, const Hook& ready = nothing);

  /// Computes relu(x · up) · down of one block, without the residual, for some of the rows.
  void branch_forward(std::size_t block, ContiguousView x, Matrix& hidden, Matrix& out) const;
  void branch_backward(std::size_t block, ContiguousView x, ContiguousView hidden, ContiguousView out_gradient,
                       Matrix& x_gradient);

 private:
  ContiguousView up(std::size_t block) const;
  ContiguousView down(std::size_t block) const;
  ContiguousView head() const;

  NetworkShape shape_;
  NetworkPart part_;
  std::vector<float> weights_, gradients_;
};

/// Computes loss and gradients of a batch on one rank; its rows are some of `of_all`.
double loss_and_gradients(Network& network, Kept& kept, ContiguousView x, std::span<const int> labels,
                          std::size_t of_all, const Hook& sum = nothing, const Hook& ready = nothing);

// ---- Training data: generated, the same on every rank and in every run ----

struct Batch {
  Matrix x;  ///< a row for each example
  std::vector<int> labels;

  std::size_t rows() const { return labels.size(); }
};

/// Returns a batch. Each class is two clouds of points on opposite sides of the origin, so no single matrix can
/// separate the classes.
/// \param index  of the batch; each batch has different points of the same clouds
Batch make_batch(std::size_t rows, std::size_t width, std::size_t classes, std::uint64_t index);

/// Returns the expert of each example: the index of the largest of the row's first `experts` numbers. This gate learns
/// nothing, so it decides the same on every rank and in every step. \pre experts <= x.columns
std::vector<int> choose_experts(ContiguousView x, std::size_t experts);

}  // namespace hf::scaling
