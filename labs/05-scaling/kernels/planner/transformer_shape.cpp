#include "05-scaling/kernels/planner/transformer_shape.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace hf::scaling {

double TransformerShape::attention_weights() const { return hidden * head_size * (2 * heads + 2 * kv_heads); }

double TransformerShape::perceptron_weights() const { return hidden * ffn * (gated ? 3 : 2); }

double TransformerShape::expert_weights() const { return experts > 1 ? experts * perceptron_weights() : 0; }

double TransformerShape::layer_weights() const {
  return attention_weights() + experts * perceptron_weights() + (experts > 1 ? hidden * experts : 0);
}

double TransformerShape::parameters() const {
  const double norms = 2 * hidden;
  return layers * (layer_weights() + norms) + hidden + vocabulary * hidden * (tied ? 1 : 2);
}

double TransformerShape::model_flops(double batch, double sequence) const {
  const double attention = 4 * sequence * heads * head_size;  // of a token and a layer, forward
  const double weights = attention_weights() + active * perceptron_weights();
  return 3 * batch * sequence * (layers * (2 * weights + attention) + 2 * hidden * vocabulary);
}

double TransformerShape::recomputed_flops(double batch, double sequence) const {
  const double last_layer = 6 * batch * sequence * hidden * vocabulary;
  return (model_flops(batch, sequence) - last_layer) * 4 / 3 + last_layer;
}

TransformerShape gpt(const std::string& name, double layers, double hidden, double heads, double vocabulary) {
  return {name, layers, hidden, heads, heads, hidden / heads, 4 * hidden, false, vocabulary, true};
}

TransformerShape llama3(const std::string& name, double layers, double hidden, double heads, double ffn) {
  return {name, layers, hidden, heads, 8, 128, ffn, true, 128256, false};
}

const std::vector<TransformerShape>& models() {
  static const std::vector<TransformerShape> all = {
      gpt("gpt-22b", 48, 6144, 64),
      gpt("gpt3-175b", 96, 12288, 96),
      gpt("mt-nlg-530b", 105, 20480, 128),
      gpt("gpt-1t", 128, 25600, 160),
      gpt("bloom-176b", 70, 14336, 112, 250880),
      gpt("mpt-7b", 32, 4096, 32, 50368),
      gpt("mpt-70b", 80, 8192, 64, 50368),
      llama3("llama3-8b", 32, 4096, 32, 14336),
      llama3("llama3-70b", 80, 8192, 64, 28672),
      llama3("llama3-405b", 126, 16384, 128, 53248),
      {"nemotron-15b", 32, 6144, 48, 8, 128, 24576, false, 256000, false},
      {"nemotron-340b", 96, 18432, 96, 8, 192, 73728, false, 256000, false},
      {"mixtral-8x7b", 32, 4096, 32, 8, 128, 14336, true, 32000, false, false, 8, 2},
      {"qwen3-30b", 48, 2048, 32, 4, 128, 768, true, 151936, false, false, 128, 8},
      {"qwen3-235b", 94, 4096, 64, 4, 128, 1536, true, 151936, false, false, 128, 8},
      {"palm-540b", 118, 18432, 48, 1, 256, 73728, true, 256000, true, true},
  };
  return all;
}

const TransformerShape& model(const std::string& name) {
  std::string names;
  for (const TransformerShape& one : models()) {
    if (one.name == name) return one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw std::runtime_error("--model " + name + ": unknown; the models are " + names);
}

}  // namespace hf::scaling
