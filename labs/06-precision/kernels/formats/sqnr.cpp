#include "06-precision/kernels/formats/sqnr.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
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

double square(double x) { return x * x; }

/// Of |x|, x from N(0, 1).
double density(double x) { return std::sqrt(2 / std::numbers::pi) * std::exp(-x * x / 2); }
double share_below(double x) { return std::erf(x / std::numbers::sqrt2); }

/// The mean square of the error of a float of magnitude u.
double float_noise(int mantissa_bits, int smallest_exponent, double u) {
  const int exponent = std::max(std::ilogb(u), smallest_exponent);
  return square(std::ldexp(1.0, exponent - mantissa_bits)) / 12;
}

double float_noise(const FloatLayout& layout, double largest, double u) {
  if (u > largest) return square(u - largest);
  return float_noise(layout.mantissa_bits, 1 - layout.bias(), u);
}

double e4m3_noise(double u) { return float_noise(e4m3_layout, 448, u); }
double e5m2_noise(double u) { return float_noise(e5m2_layout, 57344, u); }
double e2m1_noise(double u) { return float_noise(e2m1_layout, 6, u); }

/// Between −8 and 7, where the largest number has become −8: half of the others have its sign.
double q4_0_noise(double u) { return u <= 7.5 ? 1.0 / 12 : (1.0 / 12 + square(u - 7)) / 2; }

double power_of_two_below(double x, int top_exponent) { return std::ldexp(1.0, std::ilogb(x) - top_exponent); }

/// Numbers that share a scale.
struct Sharing {
  double numbers;
  std::function<double(double largest)> scale;
  std::function<double(double u)> noise;  ///< of a magnitude u, in units of the scale
  bool keeps_largest;                     ///< the scale makes the largest number one of the format's
};

constexpr int steps = 400;
constexpr double end = 7;  // no number of a sample is larger

/// The mean square of the error of one number without a scale.
template <class Noise>
double mean_noise(double limit, const Noise& noise) {
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * limit / steps;
    sum += density(x) * noise(x) * limit / steps;
  }
  return sum;
}

/// The same with one: over all that the largest of the numbers may be.
double shared_noise(const Sharing& of) {
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double largest = (i + 0.5) * end / steps, inside = share_below(largest);
    const double all_below = std::pow(inside, of.numbers - 1);
    const double chance = of.numbers * density(largest) * all_below * end / steps;
    if (chance < 1e-9) continue;
    const double unit = of.scale(largest);
    const auto noise = [&](double x) { return square(unit) * of.noise(x / unit); };
    const double others = mean_noise(largest, noise) / inside;
    const double its_own = of.keeps_largest ? 0 : noise(largest);
    sum += chance * ((of.numbers - 1) * others + its_own) / of.numbers;
  }
  return sum;
}

Sharing integers(double numbers, double largest_integer) {
  return {numbers, [=](double largest) { return largest / largest_integer; }, [](double) { return 1.0 / 12; }, true};
}

double noise_of(Format format, std::size_t rows, std::size_t columns) {
  const auto row = static_cast<double>(columns), all = static_cast<double>(rows) * row;
  switch (format) {
    case Format::fp32: return mean_noise(end, [](double x) { return float_noise(23, -126, x); });
    case Format::fp16: return mean_noise(end, [](double x) { return float_noise(fp16_layout, 65504, x); });
    case Format::bf16: return mean_noise(end, [](double x) { return float_noise(7, -126, x); });
    case Format::fp8_e4m3: return shared_noise({all, [](double max) { return max / 448; }, e4m3_noise, true});
    case Format::fp8_e5m2: return shared_noise({all, [](double max) { return max / 57344; }, e5m2_noise, true});
    case Format::int8: return shared_noise(integers(all, 127));
    case Format::int8_channel: return shared_noise(integers(row, 127));
    case Format::q8_0: return shared_noise(integers(32, 127));
    case Format::q4_0: return shared_noise({32, [](double max) { return max / 8; }, q4_0_noise, true});
    case Format::mxfp8: return shared_noise({32, [](double x) { return power_of_two_below(x, 8); }, e4m3_noise, false});
    case Format::mxfp4: return shared_noise({32, [](double x) { return power_of_two_below(x, 2); }, e2m1_noise, false});
    case Format::nvfp4: return shared_noise({16, [](double max) { return max / 6; }, e2m1_noise, true});
  }
  return 0;
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

std::vector<float> student_numbers(std::size_t count, std::uint64_t sequence) {
  constexpr double freedom = 5, deviation = 1.2909944487358056;  // √(5 / 3)
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = std::sqrt(freedom * (std::pow(uniform(sequence, i), -2 / freedom) - 1));
    numbers[i] = static_cast<float>(radius * std::cos(2 * std::numbers::pi * uniform(sequence + 1, i)) / deviation);
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

double predicted_sqnr_db(Format format, std::size_t rows, std::size_t columns) {
  return -10 * std::log10(noise_of(format, rows, columns));
}

}  // namespace hf::precision
