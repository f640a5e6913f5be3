#include "08-your-model/kernels/functions.hpp"

#include <cstddef>

#include "harness/measure/vector.hpp"
#include "kit/exponential.hpp"

namespace hf::your_model {
namespace {

/// Applies a function to a row, one register at a time; the last may be partly empty.
template <class Function>
inline void each(const float* x, float* y, std::size_t n, Function function) {
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) store(y + i, function(load(x + i)));
  if (i < n) store_some(y + i, n - i, function(load_some(x + i, n - i, 0)));
}

}  // namespace

void exponentials(const float* x, float* y, std::size_t n) {
  each(x, y, n, [](Floats v) { return exponential(v); });
}

// x / 2 · (1 + tanh z) is x / (1 + e^(−2z)), in which no difference loses digits for x below zero.
void gelus(const float* x, float* y, std::size_t n) {
  each(x, y, n, [](Floats v) {
    v = broadcast(-20.0f) > v ? broadcast(-20.0f) : v;  // there the result is already 0; NaN stays NaN
    return v / (1.0f + exponential(v * -1.59576912f * (1.0f + 0.044715f * v * v)));
  });
}

}  // namespace hf::your_model
