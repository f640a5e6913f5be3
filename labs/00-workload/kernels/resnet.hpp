/// \file
/// A convolutional network for photographs: ResNet-18 (He et al., 2016), each convolution a matrix product after im2col.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kit/transformer/account.hpp"
#include "kit/transformer/operators.hpp"
#include "kit/transformer/tensors.hpp"

namespace hf::workload {

struct ResnetShape {
  std::size_t side = 224;  ///< of the picture, which is square and has three colours
  std::size_t width = 64;  ///< channels of the first stage; each of the next three stages has twice as many
  std::size_t classes = 1000;
};

/// A convolution without bias and the batch norm after it, which at inference is one factor and one addend per channel.
struct Convolution {
  std::size_t in, out, kernel, stride;
  std::size_t weight, scale, shift;  ///< tensors (out, in · kernel · kernel), (out), (out)
};

/// Two convolutions and a shortcut around them; if the stride is 2, the shortcut is also a convolution.
struct Block {
  Convolution first, second;
  std::vector<Convolution> around;  ///< one or none
};

class Resnet {
 public:
  /// Random weights. \throws OutOfMemory
  explicit Resnet(const ResnetShape& shape);

  /// Class scores (classes) of a picture x (3, side, side), with side at most that of the shape and a multiple of 32.
  /// They are valid until the next call.
  std::span<const float> forward(const float* x, std::size_t side, Ledger& ledger) const;

  const ResnetShape& shape() const { return shape_; }
  const Convolution& stem() const { return stem_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  std::span<const float> parameter(std::size_t tensor) const { return parameters_.span(tensor); }
  std::size_t dense_weight() const { return dense_weight_; }  ///< tensor (classes, 8 · width); the bias is the next

 private:
  Convolution add_convolution(std::size_t in, std::size_t out, std::size_t kernel, std::size_t stride);
  void initialise(const Convolution& convolution, float scale);
  void convolve(const Convolution& c, const float* x, float* y, std::size_t side, Operators& run) const;
  void run_block(const Block& block, float* x, std::size_t side, Operators& run) const;

  ResnetShape shape_;
  Convolution stem_;
  std::vector<Block> blocks_;
  std::size_t dense_weight_;
  Tensors parameters_, activations_;
  std::size_t x_, y_, around_, columns_, pooled_, scores_;  ///< tensors among the activations
};

}  // namespace hf::workload
