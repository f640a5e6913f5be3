// v6 = row_sum, v7 = multiply, v8 = subtract, v9 = multiply, v11 = row_sum,
// v12 = multiply, v14 = add, v15 = rsqrt, v16 = multiply, v17 = multiply, v18 = add
// over 4096 x 768
extern "C" void loop_0(float* const* values, float*,
                       std::size_t first, std::size_t last) {
  constexpr std::size_t columns = 768;
  const Floats v5 = broadcast(0.0013020834f);
  const Floats v10 = broadcast(0.0013020834f);
  const Floats v13 = broadcast(1e-05f);
  for (std::size_t row = first; row < last; ++row) {
    const float* const p0 = values[0] + row * columns;
    const float* const p1 = values[1];
    const float* const p2 = values[2];
    float* const p18 = values[18] + row * columns;
    Sums sum6;
    each_vector(0, columns, [&](Some at) HF_INLINE {
      const Floats v0 = load(p0, at);
      add(sum6, at, v0);
    });
    const Floats v6 = total(sum6);
    const Floats v7 = v6 * v5;
    Sums sum11;
    each_vector(0, columns, [&](Some at) HF_INLINE {
      ask_for(p0 + columns + at.i);
      const Floats v0 = load(p0, at);
      const Floats v8 = v0 - v7;
      const Floats v9 = v8 * v8;
      add(sum11, at, v9);
    });
    const Floats v11 = total(sum11);
    const Floats v12 = v11 * v10;
    const Floats v14 = v12 + v13;
    const Floats v15 = rsqrt(v14);
    each_vector(0, columns, [&](Some at) HF_INLINE {
      const Floats v0 = load(p0, at);
      const Floats v1 = load(p1, at);
      const Floats v2 = load(p2, at);
      const Floats v8 = v0 - v7;
      const Floats v16 = v8 * v15;
      const Floats v17 = v16 * v1;
      const Floats v18 = v17 + v2;
      store(p18, at, v18);
    });
  }
}

// v19 = matmul, v20 = add, v21 = gelu, v22 = dropout
// over 4096 x 3072
extern "C" void epilogue_1(const void* block, float* c, std::size_t stride,
                           std::size_t first_row, std::size_t column,
                           std::size_t rows, std::size_t wide) {
  constexpr std::size_t columns = 3072;
  const auto& [values, block_row] = *static_cast<const BandRows*>(block);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t row = block_row + first_row + r;
    float* const to = c + r * stride;
    const float* const p4 = values[4] + column;
    const Mask mask22 = mask_of(7u, row, 0.1f);
    each_vector(0, wide, [&](Some at) HF_INLINE {
      const Floats v4 = load(p4, at);
      const Floats v19 = load(to, at);
      const Floats v20 = v19 + v4;
      const Floats v21 = gelu(v20);
      const Floats v22 = dropped(v21, mask22, column + at.i);
      store(to, at, v22);
    });
  }
}
