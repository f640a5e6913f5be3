#include "03-gpu/kernels/branches.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "harness/measure/vector.hpp"

namespace hf::gpu {
namespace {

/// All near 1/32, so that the polynomial stays below 1.1 between 0 and 1; no two are equal.
constexpr auto coefficients = [] {
  std::array<float, long_way_terms> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = (32.0f + static_cast<float>(i % 7)) / 1024.0f;
  return result;
}();

constexpr float factor = 0.75f;

/// Number is a float, a double or a register of floats.
template <class Number>
inline Number long_way(Number x) {
  Number sum = Number{} + coefficients[0];
#pragma GCC unroll 32
  for (std::size_t i = 1; i < long_way_terms; ++i) sum = sum * x + coefficients[i];
  return sum;
}

template <class Number>
inline Number short_way(Number x) {
  return factor * x;
}

}  // namespace

std::size_t vector_lanes() { return lanes; }

void branch_scalar(const float* x, float* y, std::size_t count, float threshold) {
  for (std::size_t i = 0; i < count; ++i) {
    // opaque, so that the compiler does not vectorise this loop
    y[i] = x[i] < threshold ? opaque(long_way(x[i])) : opaque(short_way(x[i]));
  }
}

// [begin: vector]
void branch_vector(const float* x, float* y, std::size_t count, float threshold) {
  for (std::size_t i = 0; i < count; i += lanes) {
    const Floats numbers = load(x + i);
    const Ints goes_long = numbers < broadcast(threshold);
    if (!any(goes_long)) {
      store(y + i, short_way(numbers));
    } else if (!any(~goes_long)) {
      store(y + i, long_way(numbers));
    } else {
      store(y + i, goes_long ? long_way(numbers) : short_way(numbers));
    }
  }
}
// [end: vector]

double branch_reference(float x, float threshold) {
  return x < threshold ? long_way(static_cast<double>(x)) : short_way(static_cast<double>(x));
}

double branch_error_bound() {
  double sum = factor;
  for (const float each : coefficients) sum += each;
  return 2 * long_way_terms * std::numeric_limits<float>::epsilon() / 2 * 1.01 * sum;
}

double divergence_model(double share, std::size_t lanes, double short_ns, double long_ns) {
  const auto all = [=](double each) { return std::pow(each, static_cast<double>(lanes)); };
  return (1 - all(1 - share)) * long_ns + (1 - all(share)) * short_ns;
}

}  // namespace hf::gpu
