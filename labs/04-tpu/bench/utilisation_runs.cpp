#include "04-tpu/bench/utilisation_runs.hpp"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "04-tpu/bench/array_runs.hpp"
#include "04-tpu/kernels/systolic.hpp"
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
Series swept(Series series, const std::vector<std::size_t>& sizes, Dataflow dataflow, const ArrayShape& array,
             bool double_buffered, const std::function<void()>& between, ShapeOf shape_of) {
  for (const std::size_t size : sizes) {
    const ArrayRun run = run_random(dataflow, array, shape_of(size), {double_buffered});
    series.points.emplace_back(static_cast<double>(size), 100 * run.utilisation(array));
    between();
  }
  return series;
}

}  // namespace

std::vector<std::size_t> powers(std::size_t step, std::size_t last) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= last; size *= step) sizes.push_back(size);
  return sizes;
}

Series utilisation_by_rows(Dataflow dataflow, const std::vector<std::size_t>& rows,
                           const std::function<void()>& between) {
  return swept(empty_series(std::string("utilisation_m_") + id(dataflow), name(dataflow), "rows of a"), rows, dataflow,
               array_128, true, between, [](std::size_t m) {
                 return ProductShape{m, side_512, side_512};
               });
}

Series utilisation_by_depth(Dataflow dataflow, const std::vector<std::size_t>& depths,
                            const std::function<void()>& between) {
  return swept(empty_series(std::string("utilisation_k_") + id(dataflow), name(dataflow), "length of the sums"), depths,
               dataflow, array_128, true, between, [](std::size_t k) {
                 return ProductShape{side_512, side_512, k};
               });
}

Series utilisation_by_batch(std::size_t side, bool double_buffered, const std::vector<std::size_t>& batches,
                            const std::function<void()>& between) {
  const std::string number = std::to_string(side), label = number + " × " + number;
  return swept(empty_series("batch_" + number + (double_buffered ? "" : "_single"),
                            label + (double_buffered ? "" : ", one weight register"), "batch"),
               batches, Dataflow::weight_stationary, {side, side}, double_buffered, between, [](std::size_t batch) {
                 return ProductShape{batch, 1024, 1024};
               });
}

double at(const Series& series, double x) {
  for (const Point& point : series.points)
    if (point.x == x) return point.y.median;
  throw std::out_of_range(series.id + " has no such point");
}

}  // namespace hf::tpu
