#include "04-tpu/bench/steps.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "04-tpu/bench/run_random.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"

namespace hf::tpu {
namespace {

constexpr ArrayShape array_128 = {128, 128};
constexpr std::size_t side_512 = 512;

Series empty_series(const std::string& id, const std::string& label, const char* x) {
  return {id, label, Kind::simulated, {x, "1"}, {"utilisation", "%"}};
}

/// Fills the series: one product for each size.
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

/// 1, `step`, `step`² … up to `last`.
std::vector<std::size_t> powers(std::size_t step, std::size_t last) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= last; size *= step) sizes.push_back(size);
  return sizes;
}

/// Utilisation of 128 × 128 cells, %, while the first matrix gets more rows; the other sides are 512. Where an operand
/// stays, the next tile of it is loaded while one is in use.
Series utilisation_by_rows(const Lab& lab, Dataflow dataflow, const std::vector<std::size_t>& rows) {
  return swept(lab, empty_series(std::string("utilisation_m_") + id(dataflow), name(dataflow), "rows of a"), rows,
               dataflow, array_128, true, [](std::size_t m) {
                 return ProductShape{m, side_512, side_512};
               });
}

/// The same, while the sums get longer.
Series utilisation_by_depth(const Lab& lab, Dataflow dataflow, const std::vector<std::size_t>& depths) {
  return swept(lab, empty_series(std::string("utilisation_k_") + id(dataflow), name(dataflow), "length of the sums"),
               depths, dataflow, array_128, true, [](std::size_t k) {
                 return ProductShape{side_512, side_512, k};
               });
}

/// Utilisation of side × side cells in which the weights stay, %, over the batch, on a layer of 1024 × 1024 weights.
Series utilisation_by_batch(const Lab& lab, std::size_t side, bool double_buffered,
                            const std::vector<std::size_t>& batches) {
  const std::string number = std::to_string(side), label = number + " × " + number;
  return swept(lab,
               empty_series("batch_" + number + (double_buffered ? "" : "_single"),
                            label + (double_buffered ? "" : ", one weight register"), "batch"),
               batches, Dataflow::weight_stationary, {side, side}, double_buffered, [](std::size_t batch) {
                 return ProductShape{batch, 1024, 1024};
               });
}

/// The point of a series at this x. \throws std::out_of_range
double at(const Series& series, double x) {
  for (const Point& point : series.points)
    if (point.x == x) return point.y.median;
  throw std::out_of_range(series.id + " has no such point");
}

/// Whether this machine simulates so slowly that fewer points must do.
bool is_slow(const Lab& lab) { return lab.value("simulator_cell_updates_per_s") < 2e9; }

void simulate_dataflows(Lab& lab) {
  const std::vector<std::size_t> sizes = powers(is_slow(lab) ? 4 : 2, 512);
  for (const Dataflow dataflow : dataflows) {
    const Series by_rows = utilisation_by_rows(lab, dataflow, sizes);
    lab.simulated(std::string("gemv_utilisation_") + id(dataflow), at(by_rows, 1) / 100);
    lab.add(by_rows);
    lab.add(utilisation_by_depth(lab, dataflow, sizes));
  }
}

void simulate_batches(Lab& lab) {
  const std::vector<std::size_t> batches = powers(lab.quick() || is_slow(lab) ? 4 : 2, is_slow(lab) ? 256 : 1024);
  const auto add_curve = [&](std::size_t side, bool double_buffered) {
    const Series series = utilisation_by_batch(lab, side, double_buffered, batches);
    lab.add(series);
    return series;
  };
  const Series small = add_curve(64, true);
  add_curve(128, true);
  const Series large = add_curve(256, true), single = add_curve(256, false);
  lab.simulated("double_buffering_gain", at(large, 256) / at(single, 256));
  lab.simulated("utilisation_256_batch_16", at(large, 16) / 100);
  lab.simulated("utilisation_64_batch_16", at(small, 16) / 100);
  lab.derived("large_over_small_array_work");
}

}  // namespace

void simulate_utilisation(Lab& lab) {
  if (is_slow(lab))
    lab.note("this machine simulates fewer than 2e9 cells a second: the curves of utilisation are coarser");
  simulate_dataflows(lab);
  simulate_batches(lab);
}

}  // namespace hf::tpu
