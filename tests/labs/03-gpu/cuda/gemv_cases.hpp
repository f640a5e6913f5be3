/// \file
/// Products of packed weights and vectors, with random and with whole numbers, and how to judge a result; for the tests
/// on the processor and on a device. Plain C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "03-gpu/check/gemv_reference.hpp"
#include "03-gpu/kernels/cuda/gemv_formats.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"

namespace hf::gpu {

/// The operands of one product: any bytes are weights, except NaN in e4m3 and numbers far from one in bf16.
template <class Weights>
struct GemvCase {
  int rows, columns, batch;
  std::vector<std::uint8_t> numbers;
  std::vector<float> row_scales;
  std::vector<Bf16> piece_scales, x;

  GemvCase(int rows_, int columns_, int batch_, bool whole) : rows(rows_), columns(columns_), batch(batch_) {
    const int pieces = rows * (columns / Weights::numbers);
    for (int i = 0; i < pieces * Weights::numbers; ++i) append(i, whole);
    for (int row = 0; row < rows; ++row)
      row_scales.push_back(whole ? std::ldexp(1.0f, row % 3 - 1) : 0.1f + std::abs(random_number(2, place(row))));
    for (int piece = 0; piece < pieces; ++piece)
      piece_scales.push_back(to_bf16(whole ? std::ldexp(1.0f, piece % 3 - 1) : random_number(3, place(piece))));
    for (int i = 0; i < batch * columns; ++i)
      x.push_back(to_bf16(whole ? std::round(4 * random_number(4, place(i))) : random_number(4, place(i))));
  }

  PackedMatrix matrix() const { return {rows, columns, numbers.data(), row_scales.data(), piece_scales.data()}; }

  /// The number at y (batch, rows).
  Reference reference(int row, int vector) const {
    return gemv_reference<Weights>(matrix(), row, x.data() + place(vector * columns));
  }

  /// The largest error of y, as a share of what rounding allows.
  double worst(const std::vector<float>& y) const {
    double worst = 0;
    for (int vector = 0; vector < batch; ++vector) {
      for (int row = 0; row < rows; ++row)
        worst = std::max(worst, error_share(y[place(vector * rows + row)], reference(row, vector)));
    }
    return worst;
  }
  /// How many numbers of y are not exactly right.
  int wrong(const std::vector<float>& y) const {
    int wrong = 0;
    for (int vector = 0; vector < batch; ++vector) {
      for (int row = 0; row < rows; ++row)
        wrong += double{y[place(vector * rows + row)]} != reference(row, vector).value;
    }
    return wrong;
  }

 private:
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }

  void append(int i, bool whole) {
    const auto byte = static_cast<std::uint8_t>(random_word(1, place(i)) >> 56);
    if constexpr (Weights::numbers == 8) {
      const float number = random_number(1, place(i));
      const std::uint16_t bits = to_bf16(whole ? std::round(4 * number) : number).bits;
      numbers.push_back(static_cast<std::uint8_t>(bits));
      numbers.push_back(static_cast<std::uint8_t>(bits >> 8));
    } else if constexpr (Weights::numbers == 16) {
      constexpr std::uint8_t of_whole[8] = {0x00, 0x38, 0xb8, 0x40,
                                            0xc0, 0x44, 0xc8, 0x4a};  // 0, 1, −1, 2, −2, 3, −4, 5
      numbers.push_back(whole ? of_whole[byte % 8] : (byte & 0x7f) == 0x7f ? 0 : byte);
    } else if (i % 2 == 0) {
      numbers.push_back(byte);
    }
  }
};

}  // namespace hf::gpu
