/// \file
/// A small network that can be cut: blocks of two matrices each, with a residual around them, and a head that tells
/// classes apart. What a rank has of it is a network too, with fewer blocks, or with fewer hidden neurons in each.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"

namespace hf::scaling {

/// x + relu(x · up) · down, so many times, and then x · head.
struct Shape {
  std::size_t width;   ///< numbers in a row of x
  std::size_t hidden;  ///< columns of up, rows of down
  std::size_t blocks;
  std::size_t classes;  ///< columns of the head

  std::size_t block_weights() const { return 2 * width * hidden; }
  std::size_t weights() const { return blocks * block_weights() + width * classes; }
};

struct Range {
  std::size_t first, last;
  std::size_t size() const { return last - first; }
};

/// What rank `rank` of `ranks` has of `whole` things: where that does not divide, some have one more.
Range share(std::size_t whole, int rank, int ranks);

/// What a rank has of a network. \throws std::invalid_argument (from Network) for more than there is
struct Part {
  Range blocks, neurons;
  bool head;
};
Part whole(const Shape& shape);

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
  Network(const Shape& shape, const Part& part);

  const Part& part() const { return part_; }
  std::size_t blocks() const { return part_.blocks.size(); }

  /// Weights and their gradients, in this order: up and down of each block, then the head.
  std::span<float> weights() { return weights_; }
  std::span<float> gradients() { return gradients_; }
  std::span<float> block_gradients(std::size_t block);
  std::span<float> head_gradients();
  void clear_gradients();

  /// Fills `kept`. \param sum  is given what the hidden neurons of this part add to x: a summand, where others have the
  /// rest
  void forward(View x, Kept& kept, const Hook& sum = nothing) const;

  /// Mean cross-entropy of the softmax of the head, over `of_all` rows of which these are some; adds to the head's
  /// gradients.
  /// \param x  what left the last block
  /// \param gradient  becomes that of x
  /// \param ready  is given the head's gradients
  double loss(View x, std::span<const int> labels, std::size_t of_all, Matrix& gradient, const Hook& ready = nothing);

  /// Adds to the gradients of the blocks, from the last to the first.
  /// \param gradient  of what left the last block; becomes that of what entered the first
  /// \param sum  as in forward()
  /// \param ready  is given a block's gradients as soon as they are there
  void backward(const Kept& kept, Matrix& gradient, const Hook& sum = nothing, const Hook& ready = nothing);

  /// relu(x · up) · down of one block, without the residual: for rows that are not all there.
  void branch_forward(std::size_t block, View x, Matrix& hidden, Matrix& out) const;
  void branch_backward(std::size_t block, View x, View hidden, View out_gradient, Matrix& x_gradient);

 private:
  View up(std::size_t block) const;
  View down(std::size_t block) const;
  View head() const;

  Shape shape_;
  Part part_;
  std::vector<float> weights_, gradients_;
};

/// Loss and gradients of a batch, the rows of which are some of `of_all`, on one rank.
double loss_and_gradients(Network& network, Kept& kept, View x, std::span<const int> labels, std::size_t of_all,
                          const Hook& sum = nothing, const Hook& ready = nothing);

}  // namespace hf::scaling
