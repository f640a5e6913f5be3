/// \file
/// A small language model (Bengio et al., "A neural probabilistic language model", 2003): of each word seen its row in a
/// table, all rows side by side, a few plain layers with relu, and a head that says how likely each word is to come next.
/// Each tensor it writes is stored in a format; products are added in fp32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/kernels/training/sentences.hpp"

namespace hf::precision {

/// What numbers lose when they are written to memory in 16 or 8 bits. They stay in arrays of fp32, but each becomes one
/// that the format has: products of those, exact in fp32 and added in fp32, are what a matrix unit computes.
enum class Storage { fp32, bf16, fp16, e4m3, e5m2 };

constexpr int bits(Storage storage) { return storage == Storage::fp32 ? 32 : storage <= Storage::fp16 ? 16 : 8; }

/// Rounds each number to the nearest that the format has, ties to even. Beyond the largest it becomes infinite, or NaN
/// where there is no infinity.
void store(Storage storage, std::span<float> numbers);

/// Rounds each number to bf16, up or down at random, so that on average it stays what it was.
/// \param sequence  of random numbers (common/random.hpp)
void store_at_random(std::span<float> numbers, std::uint64_t sequence);

/// Whether all are numbers: neither infinite nor NaN.
bool all_finite(std::span<const float> numbers);

struct WordShape {
  std::size_t embedding, hidden, layers;

  std::size_t inputs() const { return words_seen * embedding; }
};

/// The table (vocabulary_size, embedding), each layer (outputs, inputs), and the head (vocabulary_size, hidden): weights,
/// or their gradients.
using WordTensors = std::vector<scaling::Matrix>;

/// Uniform in ±1/√inputs, as a Linear of PyTorch begins; the table uniform in ±1.
WordTensors random_weights(const WordShape& shape, std::uint64_t seed = 0);

/// What a forward pass computes.
struct WordActivations {
  std::vector<scaling::Matrix> x;  ///< what enters each layer, and the head: (rows, inputs)
  scaling::Matrix logits;          ///< (rows, vocabulary_size)
};

/// Gradients with respect to what each layer put out, before relu, and to the logits: (rows, outputs) each.
using WordDeltas = std::vector<scaling::Matrix>;

/// \param seen  (rows, words_seen)
/// \param storage  of activations: also of logits where it has 16 bits or more, else those stay in fp32
void forward(const WordTensors& weights, std::span<const int> seen, Storage storage, WordActivations& to);

/// Of row_weight · Σ −log p(next), the sum over all rows: fills deltas and gradients.
/// \param storage  of both
void backward(const WordTensors& weights, const Examples& examples, const WordActivations& activations, Storage storage,
              float row_weight, WordDeltas& deltas, WordTensors& gradients);

/// How far the network is from the grammar: mean Kullback-Leibler divergence of its chances from the true ones, nats. What
/// it loses to a text without end is this and the grammar's entropy.
double divergence(const Examples& examples, const scaling::Matrix& logits);

}  // namespace hf::precision
