#include "06-precision/kernels/formats/signals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "common/random.hpp"

namespace hf::precision {
namespace {

/// In (0, 1), a multiple of 2^-53 and a half.
double uniform(std::uint64_t sequence, std::uint64_t index) {
  return (static_cast<double>(random_word(sequence, index) >> 11) + 0.5) * 0x1p-53;
}

template <class Number>
double signal_over_noise(std::span<const double> signal, std::span<const Number> decoded) {
  double power = 0, noise = 0;
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const double error = signal[i] - static_cast<double>(decoded[i]);
    power += signal[i] * signal[i];
    noise += error * error;
  }
  return 10 * std::log10(power / noise);
}

}  // namespace

std::vector<double> normal_numbers(std::size_t count, std::uint64_t sequence) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = std::sqrt(-2 * std::log(uniform(sequence, i / 2)));
    const double angle = 2 * std::numbers::pi * uniform(sequence + 1, i / 2);
    numbers[i] = radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
  }
  return numbers;
}

double sqnr_db(std::span<const double> signal, std::span<const double> decoded) {
  return signal_over_noise(signal, decoded);
}

double sqnr_db(std::span<const double> signal, std::span<const float> decoded) {
  return signal_over_noise(signal, decoded);
}

double quantise_uniformly(double x, int bits, double range) {
  const double levels = std::exp2(bits), step = 2 * range / levels;
  const double level = std::clamp(std::floor(x / step), -levels / 2, levels / 2 - 1);
  return (level + 0.5) * step;
}

}  // namespace hf::precision
