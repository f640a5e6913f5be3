// May the arrays overlap? Without permission the compiler has to assume so, or to ask when the loop runs.
#include <cstddef>

// clang-format off

extern "C" {

void smooth(float* y, const float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = 0.5f * (x[i] + x[i + 1]);
}

void smooth_restrict(float* __restrict y, const float* __restrict x,
                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = 0.5f * (x[i] + x[i + 1]);
}

// Rotary embedding: queries and keys, in two halves each, are rotated in place.
void rotate(float* q0, float* q1, float* k0, float* k1,
            const float* cosine, const float* sine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float c = cosine[i], s = sine[i], q = q0[i], k = k0[i];
    q0[i] = q * c - q1[i] * s;
    q1[i] = q * s + q1[i] * c;
    k0[i] = k * c - k1[i] * s;
    k1[i] = k * s + k1[i] * c;
  }
}

void rotate_restrict(float* __restrict q0, float* __restrict q1, float* __restrict k0, float* __restrict k1,
                     const float* __restrict cosine, const float* __restrict sine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float c = cosine[i], s = sine[i], q = q0[i], k = k0[i];
    q0[i] = q * c - q1[i] * s;
    q1[i] = q * s + q1[i] * c;
    k0[i] = k * c - k1[i] * s;
    k1[i] = k * s + k1[i] * c;
  }
}

}  // extern "C"
