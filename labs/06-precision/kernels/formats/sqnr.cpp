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
#include "kit/random.hpp"

namespace hf::precision {
namespace {

/// A number in (0, 1): an odd multiple of 2^-54.
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

/// Density and distribution function of |x|, x from N(0, 1).
double density(double x) { return std::sqrt(2 / std::numbers::pi) * std::exp(-x * x / 2); }
double share_below(double x) { return std::erf(x / std::numbers::sqrt2); }

constexpr FloatLayout fp32_layout = {8, 23, FloatLayout::Top::specials};

/// Mean square error of a float of magnitude u.
template <FloatLayout layout>
double float_noise(double u) {
  constexpr double largest = value_of<layout>(layout.largest());
  if (u > largest) return square(u - largest);
  const int exponent = std::max(std::ilogb(u), 1 - layout.bias());
  return square(std::ldexp(1.0, exponent - layout.mantissa_bits)) / 12;
}

/// Mean square error of magnitude u in Q4_0, whose integers run from −8 to 7. The largest number became −8, and half of
/// the others have its sign; the rest end at 7.
double q4_0_noise(double u) { return u <= 7.5 ? 1.0 / 12 : (1.0 / 12 + square(u - 7)) / 2; }

/// Numbers that share a scale.
struct Sharing {
  double numbers;
  std::function<double(double largest)> scale;
  std::function<double(double u)> noise;  ///< mean square error of magnitude u; both in units of the scale
  bool keeps_largest;                     ///< whether the scale maps the largest number to one of the format's
};

constexpr int steps = 400;
constexpr double end = 7;  // no number of a sample is larger

/// Mean square error of one number without a scale, integrated up to magnitude `limit`.
template <class Noise>
double mean_noise(double limit, const Noise& noise) {
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * limit / steps;
    sum += density(x) * noise(x) * limit / steps;
  }
  return sum;
}

/// Mean square error of numbers that share a scale, integrated over the possible values of the largest.
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

double noise_of(Format format, std::size_t rows, std::size_t columns) {
  const auto row = static_cast<double>(columns), all = static_cast<double>(rows) * row;
  const auto up_to = [](double most) { return [=](double largest) { return largest / most; }; };
  const auto power_of_two = [](int top_exponent) {
    return [=](double largest) { return std::ldexp(1.0, std::ilogb(largest) - top_exponent); };
  };
  const auto integer_noise = [](double) { return 1.0 / 12; };
  switch (format) {
    case Format::fp32: return mean_noise(end, float_noise<fp32_layout>);
    case Format::fp16: return mean_noise(end, float_noise<fp16_layout>);
    case Format::bf16: return mean_noise(end, float_noise<bf16_layout>);
    case Format::fp8_e4m3: return shared_noise({all, up_to(448), float_noise<e4m3_layout>, true});
    case Format::fp8_e5m2: return shared_noise({all, up_to(57344), float_noise<e5m2_layout>, true});
    case Format::int8: return shared_noise({all, up_to(127), integer_noise, true});
    case Format::int8_channel: return shared_noise({row, up_to(127), integer_noise, true});
    case Format::q8_0: return shared_noise({32, up_to(127), integer_noise, true});
    case Format::q4_0: return shared_noise({32, up_to(8), q4_0_noise, true});
    case Format::mxfp8: return shared_noise({32, power_of_two(8), float_noise<e4m3_layout>, false});
    case Format::mxfp4: return shared_noise({32, power_of_two(2), float_noise<e2m1_layout>, false});
    case Format::nvfp4: return shared_noise({16, up_to(6), float_noise<e2m1_layout>, true});
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

double predicted_sqnr_db(Format format, std::size_t rows, std::size_t columns) {
  return -10 * std::log10(noise_of(format, rows, columns));
}

}  // namespace hf::precision
