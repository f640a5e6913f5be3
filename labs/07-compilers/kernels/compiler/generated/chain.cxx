// v1 = relu, v3 = multiply, v5 = add
// over 4096 x 4096
extern "C" void loop_0(float* const* values, float*,
                       std::size_t first, std::size_t last) {
  const Floats v2 = broadcast(0.5f);
  const Floats v4 = broadcast(1.0f);
  const float* const p0 = values[0];
  float* const p5 = values[5];
  each_vector(first, last, [&](Some at) HF_INLINE {
    const Floats v0 = load(p0, at);
    const Floats v1 = relu(v0);
    const Floats v3 = v1 * v2;
    const Floats v5 = v3 + v4;
    store(p5, at, v5);
  });
}
