#include "06-precision/gemv/weight_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "00-workload/loop_team.hpp"
#include "06-precision/formats/formats.hpp"

namespace hf::precision {
namespace {

constexpr std::size_t block = 32;

bool is_whole(Format format) {
  switch (format) {
    case Format::int8:
    case Format::int8_channel:
    case Format::q8_0:
    case Format::q4_0:
    case Format::mxfp4:
    case Format::nvfp4: return true;
    default: return false;
  }
}

/// x rounded to 8 bits in blocks, each with its scale.
std::vector<float> rounded(const float* x, std::size_t columns) {
  std::vector<float> to(columns);
  for (std::size_t j = 0; j < columns; j += block) {
    float largest = 0;
    for (std::size_t i = 0; i < block; ++i) largest = std::max(largest, std::abs(x[j + i]));
    const float scale = largest / 127;
    for (std::size_t i = 0; i < block && scale > 0; ++i) to[j + i] = scale * std::nearbyint(x[j + i] / scale);
  }
  return to;
}

}  // namespace

WeightMatrix::WeightMatrix(Format format, std::span<const float> values, std::size_t rows, std::size_t columns)
    : WeightMatrix(encode(format, values, rows, columns)) {}

WeightMatrix::WeightMatrix(const EncodedMatrix& matrix)
    : format_(matrix.format),
      rows_(matrix.rows),
      columns_(matrix.columns),
      bytes_(matrix.bytes.size() + sizeof(float) * matrix.scales.size()),
      decoded_(decode(matrix)) {}

void WeightMatrix::multiply(const float* x, float* y) const {
  const std::vector<float> from = is_whole(format_) ? rounded(x, columns_) : std::vector<float>(x, x + columns_);
  workload::share_each(rows_, columns_, [&](std::size_t row) {
    const float* weights = &decoded_[row * columns_];
    float sum = 0;
    for (std::size_t j = 0; j < columns_; ++j) sum += weights[j] * from[j];
    y[row] = sum;
  });
}

void WeightMatrix::decode_row(std::size_t row, float* to) const {
  std::copy_n(&decoded_[row * columns_], columns_, to);
}

}  // namespace hf::precision
