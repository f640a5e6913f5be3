#include "06-precision/kernels/accuracy/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "06-precision/kernels/accuracy/trained_weights.hpp"
#include "06-precision/kernels/formats/block_formats.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"
#include "common/loop_team.hpp"
#include "common/random.hpp"

namespace hf::precision {
namespace {

/// A row times Hadamard's matrix, over √n.
void hadamard(std::span<float> row) {
  const std::size_t n = row.size();
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t first = 0; first < n; first += 2 * half) {
      for (std::size_t i = first; i < first + half; ++i) {
        const float a = row[i], b = row[i + half];
        row[i] = a + b;
        row[i + half] = a - b;
      }
    }
  }
  const float factor = 1 / std::sqrt(static_cast<float>(n));
  for (float& x : row) x *= factor;
}

template <class Function>
void for_each_row(std::span<float> rows, std::size_t columns, const Function& function) {
  share_each(rows.size() / columns, 8 * columns,
             [&](std::size_t row) { function(rows.subspan(row * columns, columns)); });
}

constexpr std::uint64_t sequence = 6400, rotation_sequence = 6410;
constexpr std::size_t n = OutlierProduct::channels;

/// (tokens, rows)
std::vector<double> product(std::span<const float> weights, std::span<const float> activations) {
  std::vector<double> y;
  for (std::size_t token = 0; token < activations.size() / n; ++token) {
    for (std::size_t row = 0; row < weights.size() / n; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        sum += static_cast<double>(weights[row * n + i]) * static_cast<double>(activations[token * n + i]);
      y.push_back(sum);
    }
  }
  return y;
}

/// The large channels lie far from each other, each in a block of its own.
void enlarge(std::span<float> matrix, float factor) {
  for (std::size_t large = 0; large < OutlierProduct::large_channels; ++large) {
    const std::size_t channel = (2 * large + 1) * n / (2 * OutlierProduct::large_channels) + 5 * large;
    for (std::size_t at = channel; at < matrix.size(); at += n) matrix[at] *= factor;
  }
}

/// The distance between the two numbers of the format on both sides of x.
double step(const EncodedMatrix& matrix, std::size_t at, float x) {
  switch (matrix.format) {
    case Format::fp32: return 0;
    case Format::int8: return matrix.scales[0];
    case Format::int8_channel: return matrix.scales[at / matrix.columns];
    case Format::q8_0: {
      std::uint16_t scale;
      std::memcpy(&scale, &matrix.bytes[at / Q8_0Block::numbers * sizeof(Q8_0Block)], sizeof scale);
      return from_fp16(scale);
    }
    case Format::fp8_e4m3: {
      const double scale = matrix.scales[0], u = std::abs(x) / scale;
      return scale * std::exp2(std::max(std::floor(std::log2(std::max(u, 0x1p-20))), -6.0) - 3);
    }
    default: throw std::invalid_argument(std::string("OutlierProduct: no step is known of ") + label(matrix.format));
  }
}

/// Mean squares of each channel: of its numbers, and of their errors, as their steps have it.
struct Channels {
  std::vector<double> power, noise;
};

Channels channels_of(std::span<const float> matrix, const EncodedMatrix& encoded) {
  Channels channels = {std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  const double share = static_cast<double>(n) / static_cast<double>(matrix.size());
  for (std::size_t at = 0; at < matrix.size(); ++at) {
    const double square = static_cast<double>(matrix[at]) * static_cast<double>(matrix[at]);
    const double width = step(encoded, at, matrix[at]);
    channels.power[at % n] += share * square;
    const bool lost = square < width * width / 4;  // less than half a step becomes 0
    channels.noise[at % n] += share * (lost ? square : width * width / 12);
  }
  return channels;
}

/// Each channel adds the noise of its weights, times its activations, and the other way round.
double noise_of_product(const Channels& w, const Channels& x) {
  double noise = 0;
  for (std::size_t i = 0; i < n; ++i) noise += w.noise[i] * x.power[i] + w.power[i] * x.noise[i];
  return noise;
}

}  // namespace

float Rotation::sign(std::size_t column) const { return random_word(sequence_, column) >> 63 == 0 ? 1.0f : -1.0f; }

void Rotation::apply(std::span<float> rows, std::size_t columns) const {
  for_each_row(rows, columns, [this](std::span<float> row) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= sign(i);
    hadamard(row);
  });
}

void Rotation::undo(std::span<float> rows, std::size_t columns) const {
  for_each_row(rows, columns, [this](std::span<float> row) {
    hadamard(row);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= sign(i);
  });
}

OutlierProduct::OutlierProduct() : weights_(student_numbers(rows * channels, sequence)) {
  const std::vector<double> x = normal_numbers(tokens * channels, sequence + 2);
  activations_.assign(x.begin(), x.end());
  exact_ = product(weights_, activations_);
}

OutlierProduct::Sqnr OutlierProduct::sqnr(const Scheme& scheme, float factor) const {
  std::vector<float> weights = weights_, activations = activations_;
  enlarge(weights, 1 / factor);
  enlarge(activations, factor);
  if (scheme.rotated) {
    const Rotation rotation(rotation_sequence);
    rotation.apply(weights, channels);
    rotation.apply(activations, channels);
  }
  const EncodedMatrix w = encode(scheme.weights, weights, rows, channels);
  const EncodedMatrix x = encode(scheme.activations, activations, tokens, channels);
  const double noise = noise_of_product(channels_of(weights, w), channels_of(activations, x));
  return {sqnr_db(exact_, product(decode(w), decode(x))), 10 * std::log10(n / noise)};  // n products of variance 1
}

}  // namespace hf::precision
