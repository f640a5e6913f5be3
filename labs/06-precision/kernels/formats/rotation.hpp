/// \file
/// A rotation spreads the few channels that are much larger than the rest over all channels: W x = (W R)(Rᵀ x), where R
/// combines random signs with a Hadamard matrix.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kit/loop_team.hpp"
#include "kit/random.hpp"

namespace hf::precision {

/// R = D H / √n: D has −1 and 1 on its diagonal, drawn at random; H is a Hadamard matrix, whose entries are −1 and 1.
/// Each number of a rotated row sums all numbers of the row with weights of equal magnitude, so outliers are spread out
/// (Chee et al., "QuIP", NeurIPS 2023; Ashkboos et al., "QuaRot", NeurIPS 2024).
class Rotation {
 public:
  explicit Rotation(std::uint64_t sequence) : sequence_(sequence) {}

  /// Multiplies each row by R, with the fast transform: n log2 n additions. \pre columns is a power of two
  void apply(std::span<float> rows, std::size_t columns) const {
    for_each_row(rows, columns, [this](std::span<float> row) {
      change_signs(row);
      hadamard(row);
    });
  }

  /// Multiplies each row by Rᵀ, which undoes apply().
  void undo(std::span<float> rows, std::size_t columns) const {
    for_each_row(rows, columns, [this](std::span<float> row) {
      hadamard(row);
      change_signs(row);
    });
  }

 private:
  template <class Function>
  static void for_each_row(std::span<float> rows, std::size_t columns, const Function& function) {
    share_each(rows.size() / columns, 8 * columns,
               [&](std::size_t row) { function(rows.subspan(row * columns, columns)); });
  }

  void change_signs(std::span<float> row) const {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= random_word(sequence_, i) >> 63 == 0 ? 1.0f : -1.0f;
  }

  /// Multiplies a row by the Hadamard matrix, divided by √n.
  static void hadamard(std::span<float> row) {
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

  std::uint64_t sequence_;
};

}  // namespace hf::precision
