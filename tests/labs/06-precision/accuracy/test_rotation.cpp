// The rotation: what it preserves, and what it spreads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "06-precision/kernels/accuracy/accuracy.hpp"
#include "common/random.hpp"

namespace hf::precision {
namespace {

std::vector<float> numbers(std::size_t count, std::uint64_t sequence) {
  std::vector<float> x(count);
  fill_random(x, sequence);
  return x;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST_CASE("a rotation keeps every product, and can be undone") {
  for (std::size_t columns : {1, 2, 64, 1024}) {
    const Rotation rotation(9);
    const std::vector<float> a = numbers(columns, 1), b = numbers(columns, 2);
    std::vector<float> rotated_a = a, rotated_b = b;
    rotation.apply(rotated_a, columns);
    rotation.apply(rotated_b, columns);
    CHECK(dot(rotated_a, rotated_b) == doctest::Approx(dot(a, b)).epsilon(1e-5));
    rotation.undo(rotated_a, columns);
    for (std::size_t i = 0; i < columns; ++i) CHECK(rotated_a[i] == doctest::Approx(a[i]).epsilon(1e-4));
  }
}

TEST_CASE("each row is rotated alike") {
  const Rotation rotation(9);
  std::vector<float> rows = numbers(3 * 128, 1), second(rows.begin() + 128, rows.begin() + 256);
  rotation.apply(rows, 128);
  rotation.apply(second, 128);
  CHECK(std::vector<float>(rows.begin() + 128, rows.begin() + 256) == second);
}

TEST_CASE("one large number is spread over all, evenly, with signs") {
  std::vector<float> row(256, 0.0f);
  row[77] = 32;
  Rotation(9).apply(row, 256);
  const std::set<float> values(row.begin(), row.end());
  CHECK(values == std::set<float>{-2, 2});
}

TEST_CASE("signs are drawn: another sequence is another rotation") {
  std::vector<float> a(256, 1.0f), b(256, 1.0f);
  Rotation(9).apply(a, 256);
  Rotation(10).apply(b, 256);
  CHECK(a != b);
  float largest = 0;
  for (float x : a) largest = std::max(largest, std::abs(x));
  CHECK(largest < 5);  // Hadamard's matrix alone would turn them into one number, 16
}

}  // namespace
}  // namespace hf::precision
