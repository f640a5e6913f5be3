#include "01-roofline/kernels/workloads.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/check/reference.hpp"
#include "01-roofline/kernels/arrays.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "kit/exponential.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"
#include "kit/work.hpp"

namespace hf::roofline {
namespace {

constexpr float factor = 0.75f;
constexpr std::uint32_t axpy_sequence = 77;

constexpr std::size_t fewest_floats = 4096;

double count(std::size_t n) { return static_cast<double>(n); }

/// A kernel that reads and writes this many floats; it writes only to lines that it has not read.
Workload workload(std::string label, double flops, std::size_t floats_read, std::size_t floats_written,
                  std::function<void()> call, std::function<double()> error_share) {
  // [begin: work]
  const double written = 4 * count(floats_written);
  const Work work = {
      .flops = flops,
      .bytes = 4 * count(floats_read) + written,
      .allocated_bytes = written,  // read first, so that they can be written to
  };
  // [end: work]
  return {std::move(label), work, written, std::move(call), std::move(error_share)};
}

template <class Element>
double worst_between(std::size_t first, std::size_t end, Element element) {
  double worst = 0;
  for (std::size_t i = first; i < end; ++i) worst = std::max(worst, element(i));
  return worst;
}

/// Visits about a thousand rows, evenly spread, including the first and the last.
template <class Row>
double worst_row(std::size_t rows, Row row) {
  const std::size_t step = std::max<std::size_t>(1, rows / 1000);
  double worst = rows > 0 ? row(rows - 1) : 0;
  for (std::size_t i = 0; i < rows; i += step) worst = std::max(worst, row(i));
  return worst;
}

/// Visits the elements of a long array in stretches of 4096, like rows, and the incomplete stretch at its end.
template <class Element>
double worst_of(std::size_t n, Element element) {
  constexpr std::size_t stretch = 4096;
  const auto row = [&](std::size_t i) { return worst_between(i * stretch, (i + 1) * stretch, element); };
  return std::max(worst_row(n / stretch, row), worst_between(n / stretch * stretch, n, element));
}

Workload vector_add(const char* label, decltype(KernelSet::vector_add) add, std::span<float> memory) {
  const std::size_t n = floats_each(memory.size(), 3);
  Arrays arrays(memory);
  float *a = arrays.next(n), *b = arrays.next(n), *c = arrays.next(n);
  return workload(
      label, count(n), 2 * n, n, [=] { add(a, b, c, n); },
      [=] { return worst_of(n, [=](std::size_t i) { return error_share(c[i], reference_add(a[i], b[i])); }); });
}

Workload dot(const KernelSet& set, std::span<float> memory) {
  const std::size_t n = floats_each(memory.size(), 2);
  Arrays arrays(memory);
  const float *x = arrays.next(n), *y = arrays.next(n);
  const auto result = std::make_shared<float>();
  return workload(
      "dot", 2 * count(n), 2 * n, 0, [=, &set] { *result = set.dot(x, y, n); },
      [=] { return error_share(*result, reference_dot(x, y, n)); });
}

Workload triad(const KernelSet& set, std::span<float> memory) {
  const std::size_t n = floats_each(memory.size(), 3);
  Arrays arrays(memory);
  float *b = arrays.next(n), *c = arrays.next(n), *a = arrays.next(n);
  const auto element = [=](std::size_t i) { return error_share(a[i], reference_multiply_add(b[i], factor, c[i])); };
  return workload(
      "triad", 2 * count(n), 2 * n, n, [=, &set] { set.stream_triad(a, b, c, factor, n); },
      [=] { return worst_of(n, element); });
}

/// In place: it writes only to lines it has just read, and a check must know the old values. The sign of the factor
/// changes from call to call, so that y stays within one x of its old value, however often this is called.
Workload axpy(const KernelSet& set, std::span<float> memory) {
  const std::size_t n = floats_each(memory.size(), 2);
  Arrays arrays(memory);
  float *x = arrays.next(n), *y = arrays.next(n);
  const auto element = [=](std::size_t i) {
    return error_share(y[i], reference_multiply_add(random_number(axpy_sequence, i), factor, x[i]));
  };
  const auto check = [=, &set] {
    fill_random({y, n}, axpy_sequence);
    set.axpy(factor, x, y, n);
    return worst_of(n, element);
  };
  const Work in_place = {.flops = 2 * count(n), .bytes = 12 * count(n), .allocated_bytes = 0};
  const auto call = [=, &set, signed_factor = factor]() mutable {
    set.axpy(signed_factor, x, y, n);
    signed_factor = -signed_factor;
  };
  return {"axpy", in_place, 4 * count(n), call, check};
}

Workload gemv(const KernelSet& set, std::span<float> memory) {
  const std::size_t columns = whole_lines(std::min<std::size_t>(4096, memory.size() / 8));
  const std::size_t rows = (memory.size() - columns - 2 * gap_floats - line_floats) / (columns + 1);
  Arrays arrays(memory);
  float *x = arrays.next(columns), *y = arrays.next(rows), *a = arrays.next(rows * columns);
  const auto row = [=](std::size_t i) { return error_share(y[i], reference_dot(a + i * columns, x, columns)); };
  return workload(
      "GEMV", 2 * count(rows) * count(columns), rows * columns + columns, rows,
      [=, &set] { set.gemv(a, x, y, rows, columns); }, [=] { return worst_row(rows, row); });
}

Workload stencil(const KernelSet& set, std::span<float> memory) {
  const std::size_t columns = whole_lines(std::min<std::size_t>(4096, memory.size() / 16));
  const std::size_t rows = floats_each(memory.size(), 2) / columns;
  Arrays arrays(memory);
  float *from = arrays.next(rows * columns), *to = arrays.next(rows * columns);
  const std::size_t inner_rows = rows - 2, inner_columns = columns - 2;
  const auto row = [=](std::size_t i) {
    return worst_between(0, inner_columns, [=](std::size_t j) {
      const std::size_t at = (i + 1) * columns + j + 1;
      return error_share(to[at], reference_stencil(from + at, columns));
    });
  };
  const std::size_t points = inner_rows * inner_columns;
  return workload(
      "5-point stencil", 6 * count(points), rows * columns, points,
      [=, &set] { set.five_point_stencil(from, to, rows, columns); }, [=] { return worst_row(inner_rows, row); });
}

/// 22 FLOPs per element: subtracting the maximum, 19 for the exponential, the sum, the scale. Comparisons are not
/// counted.
Workload softmax(const KernelSet& set, std::span<float> memory) {
  const std::size_t columns = whole_lines(std::min<std::size_t>(1024, memory.size() / 16));
  const std::size_t rows = floats_each(memory.size(), 2) / columns;
  Arrays arrays(memory);
  float *x = arrays.next(rows * columns), *y = arrays.next(rows * columns);
  const auto row = [=](std::size_t i) {
    std::vector<Reference> expected(columns);
    reference_softmax({x + i * columns, columns}, expected);
    return worst_error_share({y + i * columns, columns}, expected);
  };
  return workload(
      "softmax", (exponential_flops + 3) * count(rows * columns), rows * columns, rows * columns,
      [=, &set] { set.softmax(x, y, rows, columns); }, [=] { return worst_row(rows, row); });
}

/// 8 FLOPs per element: one for the mean, three for the variance, four to scale and shift.
Workload layer_norm(const KernelSet& set, std::span<float> memory) {
  const std::size_t columns = whole_lines(std::min<std::size_t>(1024, memory.size() / 16));
  const std::size_t rows = floats_each(memory.size() - 2 * (columns + gap_floats), 2) / columns;
  Arrays arrays(memory);
  float *gain = arrays.next(columns), *bias = arrays.next(columns);
  float *x = arrays.next(rows * columns), *y = arrays.next(rows * columns);
  const auto row = [=](std::size_t i) {
    std::vector<Reference> expected(columns);
    reference_layer_norm({x + i * columns, columns}, {gain, columns}, {bias, columns}, expected);
    return worst_error_share({y + i * columns, columns}, expected);
  };
  return workload(
      "layer norm", 8 * count(rows * columns), rows * columns + 2 * columns, rows * columns,
      [=, &set] { set.layer_norm(x, gain, bias, y, rows, columns); }, [=] { return worst_row(rows, row); });
}

Workload matmul(const char* label, decltype(KernelSet::naive_matmul) multiply, std::span<float> memory, std::size_t n) {
  Arrays arrays(memory);
  float *a = arrays.next(n * n), *b = arrays.next(n * n), *c = arrays.next(n * n);
  // Every seventh row, so that each row of a tile of six or twelve is visited in some tile.
  const auto check = [=] {
    double worst = 0;
    std::vector<Reference> expected(n);
    for (std::size_t i = 0; i < n; i += 7) {
      reference_matmul({a + i * n, n}, {b, n * n}, n, expected);
      worst = std::max(worst, worst_error_share({c + i * n, n}, expected));
    }
    return worst;
  };
  return workload(
      label, 2 * count(n) * count(n) * count(n), 2 * n * n, n * n, [=] { multiply(a, b, c, n); }, check);
}

}  // namespace

std::size_t matrices_bytes(std::size_t n) { return (3 * n * n + 2 * (gap_floats + line_floats)) * sizeof(float); }

std::vector<Workload> workloads(const KernelSet& set, std::span<float> vectors, std::span<float> matrices,
                                std::size_t n) {
  if (vectors.size() < fewest_floats)
    throw std::invalid_argument("workloads: expected memory for at least 4096 floats");
  return {vector_add("vector add", set.vector_add, vectors),
          dot(set, vectors),
          triad(set, vectors),
          axpy(set, vectors),
          gemv(set, vectors),
          stencil(set, vectors),
          softmax(set, vectors),
          layer_norm(set, vectors),
          matmul("naive matmul", set.naive_matmul, matrices, n),
          matmul("blocked matmul", set.blocked_matmul, matrices, n)};
}

std::vector<Workload> narrow_and_wide_add(const KernelSet& set, std::span<float> memory) {
  return {vector_add("narrow", set.scalar_add, memory), vector_add("wide", set.vector_add, memory)};
}

}  // namespace hf::roofline
