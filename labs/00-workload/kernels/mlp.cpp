#include "00-workload/kernels/mlp.hpp"
#include "kit/transformer/operators.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "kit/random.hpp"
#include "kit/transformer/account.hpp"

namespace hf::workload {

Mlp::Mlp(const MlpShape& shape, std::size_t batch) : shape_(shape), batch_(batch) {
  const std::size_t sizes[] = {shape.inputs, shape.hidden, shape.hidden, shape.classes};
  for (int layer = 0; layer < 3; ++layer) {
    const std::string number = std::to_string(layer + 1);
    parameters_.add("weight " + number, sizes[layer] * sizes[layer + 1]);
    parameters_.add("bias " + number, sizes[layer + 1]);
    activations_.add("layer " + number, batch * sizes[layer + 1]);
  }
  parameters_.allocate();
  activations_.allocate();
  for (std::size_t layer = 0; layer < 3; ++layer) {
    const float spread = std::sqrt(6 / static_cast<float>(sizes[layer]));  // He et al., 2015
    fill_random(parameters_.span(2 * layer), 2 * layer, spread);
    fill_random(parameters_.span(2 * layer + 1), 2 * layer + 1, 0.1f);
  }
}

std::span<const float> Mlp::forward(const float* x, Ledger& ledger) const {
  const auto [inputs, hidden, classes] = shape_;
  const auto weight = [&](std::size_t i) { return parameters_.at(2 * i); };
  const auto bias = [&](std::size_t i) { return parameters_.at(2 * i + 1); };
  float* h1 = activations_.at(0);  // (batch, hidden)
  float* h2 = activations_.at(1);  // (batch, hidden)
  float* y = activations_.at(2);   // (batch, classes)

  Operators run(ledger);
  run.linear("dense 1", x, weight(0), bias(0), h1, batch_, inputs, hidden);
  run.relu(h1, batch_ * hidden);
  run.linear("dense 2", h1, weight(1), bias(1), h2, batch_, hidden, hidden);
  run.relu(h2, batch_ * hidden);
  run.linear("dense 3", h2, weight(2), bias(2), y, batch_, hidden, classes);
  run.softmax(y, batch_, classes);
  return {y, batch_ * classes};
}

}  // namespace hf::workload
