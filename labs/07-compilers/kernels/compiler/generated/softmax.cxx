// v1 = row_max, v2 = subtract, v3 = exp, v4 = row_sum, v5 = divide
// over 4096 x 4096
extern "C" void loop_0(float* const* values, float*,
                       std::size_t first, std::size_t last) {
  constexpr std::size_t columns = 4096;
  for (std::size_t row = first; row < last; ++row) {
    const float* const p0 = values[0] + row * columns;
    float* const p5 = values[5] + row * columns;
    float* const kept3 = p5;
    Maxima max1;
    each_vector(0, columns, [&](Some at) HF_INLINE {
      const Floats v0 = load(p0, at);
      take(max1, at, v0);
    });
    const Floats v1 = largest(max1);
    Sums sum4;
    each_vector(0, columns, [&](Some at) HF_INLINE {
      ask_for(p0 + columns + at.i);
      const Floats v0 = load(p0, at);
      const Floats v2 = v0 - v1;
      const Floats v3 = exp(v2);
      store(kept3, at, v3);
      add(sum4, at, v3);
    });
    const Floats v4 = total(sum4);
    const Floats per_v4 = 1 / v4;
    each_vector(0, columns, [&](Some at) HF_INLINE {
      const Floats v3 = load(kept3, at);
      const Floats v5 = v3 * per_v4;
      store(p5, at, v5);
    });
  }
}
