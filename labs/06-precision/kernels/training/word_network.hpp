/// \file
/// A small language model (Bengio et al., "A neural probabilistic language model", 2003). It looks up each seen word's
/// row in a table, concatenates the rows, and applies a few plain layers with relu, and a head that scores each word as
/// the next one. Each tensor that it writes is stored in a format; products are added in fp32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "06-precision/kernels/training/sentences.hpp"
#include "kit/learning/matrix.hpp"

namespace hf::precision {

/// The format in which numbers are stored. They stay in arrays of fp32, but each is rounded to a number of the format.
/// Their products are exact in fp32 and added in fp32, as in a matrix unit.
enum class Storage { fp32, bf16, fp16, e4m3, e5m2 };

constexpr int bits(Storage storage) { return storage == Storage::fp32 ? 32 : storage <= Storage::fp16 ? 16 : 8; }

/// Rounds each number to the nearest number of the format, ties to even. Numbers past the largest become infinite, or
/// NaN in a format without infinity.
void store(Storage storage, std::span<float> numbers);

/// Rounds each number to bf16, up or down at random, so that its expected value does not change.
/// \param sequence  of random numbers (kit/random.hpp)
void store_at_random(std::span<float> numbers, std::uint64_t sequence);

/// True if no number is infinite or NaN.
bool all_finite(std::span<const float> numbers);

struct WordShape {
  std::size_t embedding, hidden, layers;

  std::size_t inputs() const { return words_seen * embedding; }
};

/// The chapter's network.
constexpr WordShape word_shape = {.embedding = 32, .hidden = 64, .layers = 3};

/// Weights or their gradients: the table (vocabulary_size, embedding), each layer (outputs, inputs), and the head
/// (vocabulary_size, hidden).
using WordTensors = std::vector<scaling::Matrix>;

/// Random weights, uniform in ±1/√inputs like PyTorch's Linear; the table is uniform in ±1.
WordTensors random_weights(const WordShape& shape, std::uint64_t seed = 0);

/// The results of a forward pass.
struct WordActivations {
  std::vector<scaling::Matrix> x;  ///< the input of each layer and of the head: (rows, inputs)
  scaling::Matrix logits;          ///< (rows, vocabulary_size)
};

/// Gradients with respect to each layer's outputs before relu, and to the logits: (rows, outputs) each.
using WordDeltas = std::vector<scaling::Matrix>;

/// Computes activations and logits.
/// \param seen  (rows, words_seen)
/// \param storage  of activations; also of logits if it has at least 16 bits, otherwise they stay in fp32
void forward(const WordTensors& weights, std::span<const int> seen, Storage storage, WordActivations& to);

/// Computes the deltas and gradients of row_weight · Σ −log p(next), summed over all rows.
/// \param storage  of deltas and gradients
void backward(const WordTensors& weights, const Examples& examples, const WordActivations& activations, Storage storage,
              float row_weight, WordDeltas& deltas, WordTensors& gradients);

/// Mean Kullback-Leibler divergence of the network's probabilities from the grammar's, nats. Its loss on an infinite
/// text is this divergence plus the grammar's entropy.
double divergence(const Examples& examples, const scaling::Matrix& logits);

}  // namespace hf::precision
