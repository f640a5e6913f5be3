#include "05-scaling/kernels/planner/transformer_shape.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner_data.hpp"

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

void take(const nlohmann::json& from, TransformerShape& shape) {
  take(from, "name", shape.name), take(from, "layers", shape.layers), take(from, "hidden", shape.hidden);
  take(from, "heads", shape.heads), take(from, "kvHeads", shape.kv_heads), take(from, "headSize", shape.head_size);
  take(from, "ffn", shape.ffn), take(from, "gated", shape.gated), take(from, "vocabulary", shape.vocabulary);
  take(from, "tied", shape.tied), take(from, "parallel", shape.parallel);
  take(from, "experts", shape.experts), take(from, "active", shape.active);
}

const std::vector<TransformerShape>& models() {
  static const std::vector<TransformerShape> all = taken_all<TransformerShape>(planner_data().at("models"));
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
