/// \file
/// The sizes of a transformer, and the arithmetic that follows from them alone.
#pragma once

#include <string>
#include <vector>

namespace hf::scaling {

/// A decoder. Every size is a number of elements.
struct TransformerShape {
  std::string name;
  double layers, hidden, heads, kv_heads, head_size;
  double ffn;  ///< width of the hidden layer of the perceptron, or of one expert's
  bool gated;  ///< whether that has a third matrix (SwiGLU)
  double vocabulary;
  bool tied;              ///< whether the embedding is the last layer's matrix too
  bool parallel = false;  ///< attention and perceptron read the same input (PaLM)
  double experts = 1;     ///< perceptrons that each layer has to choose from
  double active = 1;      ///< those that a token goes through

  /// Elements of a layer's matrices: queries, keys, values and output; one perceptron; experts, where there is a choice;
  /// all of them, and the router.
  double attention_weights() const;
  double perceptron_weights() const;
  double expert_weights() const;
  double layer_weights() const;
  double parameters() const;

  /// FLOPs of a training step on so many sequences, two for each multiply-add, nothing recomputed, attention counted in
  /// full: 72 B s l h^2 (1 + s/6h + V/12lh) for a GPT.
  double model_flops(double batch, double sequence) const;

  /// The same with every layer's forward pass done twice: 96 B s l h^2 (1 + s/6h + V/16lh) for a GPT.
  double recomputed_flops(double batch, double sequence) const;
};

/// A GPT: as many key heads as heads, perceptron four times as wide, one matrix for embedding and output.
TransformerShape gpt(const std::string& name, double layers, double hidden, double heads, double vocabulary = 51200);

/// Every model that the command line knows by name (data/planner.json).
const std::vector<TransformerShape>& models();

/// \throws std::runtime_error, one line, that names those there are
const TransformerShape& model(const std::string& name);

}  // namespace hf::scaling
