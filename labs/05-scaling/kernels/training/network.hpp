/// \file
/// A small network that can be cut: blocks of two matrices each, with a residual around them, and a head that tells
/// classes apart. What a rank has of it is a network too, with fewer blocks, or with fewer hidden neurons in each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/matrix.hpp"

namespace hf::scaling {

/// x + relu(x · up) · down, so many times, and then x · head.
struct NetworkShape {
  std::size_t width;   ///< numbers in a row of x
  std::size_t hidden;  ///< columns of up, rows of down
  std::size_t blocks;
  std::size_t classes;  ///< columns of the head

  std::size_t block_weights() const { return 2 * width * hidden; }
  std::size_t weights() const { return blocks * block_weights() + width * classes; }
};

/// What a rank has of a network.
struct NetworkPart {
  Range blocks, neurons;
  bool head;
};
NetworkPart whole(const NetworkShape& shape);

/// What a forward pass leaves for the backward pass.
struct Kept {
  std::vector<Matrix> x;       ///< what enters each block, and after them what leaves the last: (rows, width)
  std::vector<Matrix> hidden;  ///< after relu: (rows, hidden)
};

/// Is given numbers when they are there.
using Hook = std::function<void(std::span<float>)>;
inline void nothing(std::span<float>) {}

class Network {
 public:
  /// The weights of a part are those that the whole network would have there.
  Network(const NetworkShape& shape, const NetworkPart& part);

  const NetworkPart& part() const { return part_; }
  std::size_t blocks() const { return part_.blocks.size(); }

  /// Weights and their gradients, in this order: up and down of each block, then the head.
  std::span<float> weights() { return weights_; }
  std::span<float> gradients() { return gradients_; }
  std::span<float> block_gradients(std::size_t block);
  std::span<float> head_gradients();
  void clear_gradients();

  /// Fills `kept`. \param sum  is given what the hidden neurons of this part add to x: a summand, where others have the
  /// rest
  void forward(ContiguousView x, Kept& kept, const Hook& sum = nothing) const;

  /// Mean cross-entropy of the softmax of the head, over `of_all` rows of which these are some; adds to the head's
  /// gradients.
  /// \param x  what left the last block
  /// \param gradient  becomes that of x
  /// \param ready  is given the head's gradients
  double loss(ContiguousView x, std::span<const int> labels, std::size_t of_all, Matrix& gradient,
              const Hook& ready = nothing);

  /// Adds to the gradients of the blocks, from the last to the first.
  /// \param gradient  of what left the last block; becomes that of what entered the first
  /// \param sum  as in forward()
  /// \param ready  is given a block's gradients as soon as they are there
  void backward(const Kept& kept, Matrix& gradient, const Hook& sum = nothing, const Hook& ready = nothing);

  /// relu(x · up) · down of one block, without the residual: for rows that are not all there.
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

/// Loss and gradients of a batch, the rows of which are some of `of_all`, on one rank.
double loss_and_gradients(Network& network, Kept& kept, ContiguousView x, std::span<const int> labels,
                          std::size_t of_all, const Hook& sum = nothing, const Hook& ready = nothing);

// ---- Something to learn: made here, the same on every rank and in every run ----

struct Batch {
  Matrix x;  ///< a row for each example
  std::vector<int> labels;

  std::size_t rows() const { return labels.size(); }
};

/// Each class is two clouds of points, on opposite sides of the origin: no single matrix can tell the classes apart.
/// \param index  of the batch: each has other points of the same clouds
Batch make_batch(std::size_t rows, std::size_t width, std::size_t classes, std::uint64_t index);

/// Which expert is to have an example: the one whose number, of the first `experts` in the row, is largest. A gate that
/// learns nothing, so that it decides alike on every rank and in every step. \pre experts <= x.columns
std::vector<int> choose_experts(ContiguousView x, std::size_t experts);

}  // namespace hf::scaling
