#include "06-precision/kernels/accuracy/rotation.hpp"

#include <cmath>
#include <cstddef>
#include <span>

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

}  // namespace hf::precision
