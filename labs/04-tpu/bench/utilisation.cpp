#include "04-tpu/bench/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"

namespace hf::tpu {
namespace {

constexpr ArrayShape array_128 = {128, 128};
constexpr std::size_t side_512 = 512;

const Axis utilisation_axis = {"utilisation", "%"};

/// Returns the series with the utilisation of one product for each size.
template <class ShapeOf>
Series swept(const Lab& lab, Series series, const std::vector<std::size_t>& sizes, Dataflow dataflow,
             const ArrayShape& array, bool double_buffered, ShapeOf shape_of) {
  for (const std::size_t size : sizes) {
    const ArrayRun run = run_random(dataflow, array, shape_of(size), {double_buffered});
    series.points.emplace_back(static_cast<double>(size), 100 * run.utilisation(array));
    lab.tick();
  }
  return series;
}

/// Returns 1, `step`, `step`² … up to `last`.
std::vector<std::size_t> powers(std::size_t step, std::size_t last) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= last; size *= step) sizes.push_back(size);
  return sizes;
}

/// Returns the y of a series at this x. \throws std::out_of_range
double at(const Series& series, double x) {
  for (const Point& point : series.points)
    if (point.x == x) return point.y.median;
  throw std::out_of_range(series.id + " has no such point");
}

/// True if this machine simulates so slowly that the curves get fewer points.
bool is_slow() {
  double most = 0;  // cells simulated in a second, one cycle each
  for (int turn = 0; turn < 3; ++turn) {
    const std::int64_t start = now_ns();
    const ArrayRun run = run_random(Dataflow::weight_stationary, array_128, {256, 256, 128});
    const double seconds = static_cast<double>(now_ns() - start) * 1e-9;
    most = std::max(most, static_cast<double>(run.simulated_cycles * array_128.cells()) / seconds);
  }
  return most < 2e9;
}

/// Adds the utilisation of 128 × 128 cells by the rows of the first matrix, and by the length of the sums; the other
/// sides are 512. If an operand stays, its next tile is loaded while one is in use.
void simulate_dataflow(Lab& lab, bool slow, Dataflow dataflow, const char* by_rows_id, const char* by_depth_id) {
  const std::vector<std::size_t> sizes = powers(slow ? 4 : 2, 512);
  const auto curve = [&](const char* id, const char* x, auto shape_of) {
    return swept(lab, {id, name(dataflow), Kind::simulated, {x, "1"}, utilisation_axis}, sizes, dataflow, array_128,
                 true, shape_of);
  };
  lab.add(curve(by_rows_id, "rows of a", [](std::size_t m) { return ProductShape{m, side_512, side_512}; }));
  lab.add(curve(by_depth_id, "length of the sums", [](std::size_t k) { return ProductShape{side_512, side_512, k}; }));
}

/// Adds the utilisation of weight-stationary arrays by batch size, on a layer of 1024 × 1024 weights.
void simulate_batches(Lab& lab, bool slow) {
  const std::vector<std::size_t> batches = powers(lab.quick() || slow ? 4 : 2, slow ? 256 : 1024);
  const auto add_curve = [&](const char* id, const char* label, std::size_t side, bool double_buffered) {
    Series series = swept(lab, {id, label, Kind::simulated, {"batch", "1"}, utilisation_axis}, batches,
                          Dataflow::weight_stationary, {side, side}, double_buffered, [](std::size_t batch) {
                            return ProductShape{batch, 1024, 1024};
                          });
    lab.add(series);
    return series;
  };
  const Series small = add_curve("batch_64", "64 × 64", 64, true);
  add_curve("batch_128", "128 × 128", 128, true);
  const Series large = add_curve("batch_256", "256 × 256", 256, true);
  const Series single = add_curve("batch_256_single", "256 × 256, one weight register", 256, false);
  lab.simulated("double_buffering_gain", at(large, 256) / at(single, 256));
  lab.simulated("utilisation_256_batch_16", at(large, 16) / 100);
  lab.simulated("utilisation_64_batch_16", at(small, 16) / 100);
}

}  // namespace

void simulate_utilisation(Lab& lab) {
  const bool slow = is_slow();
  if (slow) lab.note("this machine simulates fewer than 2e9 cells a second, so the utilisation curves are coarser");
  using enum Dataflow;
  simulate_dataflow(lab, slow, output_stationary, "utilisation_m_os", "utilisation_k_os");
  simulate_dataflow(lab, slow, weight_stationary, "utilisation_m_ws", "utilisation_k_ws");
  simulate_dataflow(lab, slow, input_stationary, "utilisation_m_is", "utilisation_k_is");
  simulate_batches(lab, slow);
}

}  // namespace hf::tpu
