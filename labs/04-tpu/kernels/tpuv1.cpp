#include "04-tpu/kernels/tpuv1.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "04-tpu/kernels/systolic.hpp"
#include "kit/random.hpp"

namespace hf::tpu::v1 {

extern const std::array<Application, 6> applications = {{
    {"MLP0", 200, 12.7, 12.5, 53.9, 15.9, 17.5, 12.3},
    {"MLP1", 168, 10.6, 9.4, 44.2, 13.4, 31.9, 9.7},
    {"LSTM0", 64, 8.2, 8.2, 58.1, 15.8, 17.9, 3.7},
    {"LSTM1", 96, 10.5, 6.3, 62.1, 17.1, 10.3, 2.8},
    {"CNN0", 2888, 78.2, 78.2, 0, 0, 21.8, 86.0},
    {"CNN1", 1750, 46.2, 22.5, 28.1, 7.0, 18.7, 14.1},
}};

// [begin: one-line]
Shares one_line_model(const Application& app) {
  const double fetch = array.cells() / bytes_per_cycle;  // cycles to fetch a tile
  const double active = app.intensity / fetch, shift = array.rows / fetch;
  const double matrix = 100 - app.other;  // %; the model does not cover the rest
  if (active >= 1) return {matrix, 0, 0};
  const double stall = std::max(0.0, 1 - active - shift);
  return {matrix * active, matrix * stall, matrix * (1 - active - stall)};
}
// [end: one-line]

Shares simulate(const Application& app, std::size_t tiles) {
  const auto batch = static_cast<std::size_t>(app.intensity);
  const ArrayOptions options = {true, {bytes_per_cycle, true, 4}};
  const auto run = [&](std::size_t tiles_across) {
    const ProductShape shape = {batch, tiles_across * array.columns, 4 * array.rows};
    const auto a = random_bytes<std::int8_t>(shape.m * shape.k, 1), b = random_bytes<std::int8_t>(shape.k * shape.n, 2);
    return run_array(Dataflow::weight_stationary, array, shape, a, b, options).cycles;
  };
  const CycleCounts small = run(1), large = run(1 + tiles / 4);
  const double share = (100 - app.other) / static_cast<double>(large.total() - small.total());
  const auto of = [&](std::int64_t few, std::int64_t many) { return share * static_cast<double>(many - few); };
  return {of(small.active, large.active), of(small.stall, large.stall), of(small.shift, large.shift)};
}

double roofline_tops(double intensity) { return std::min(peak_tops, 2 * intensity * weight_bytes_per_s * 1e-12); }

}  // namespace hf::tpu::v1
