#include "04-tpu/bench/matrix_unit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "04-tpu/kernels/int8_gemm.hpp"
#include "04-tpu/kernels/tiles.hpp"
#include "common/random.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::tpu {
namespace {

constexpr std::int64_t iterations_per_call = 200;  // a microsecond or two

void check_tiles() {
  if (tile_peak(100, 3, 5) != 100 * tile_depth() * 3 * 5)
    throw std::runtime_error("the tile products (AMX, SME) are wrong; nothing was timed");
}

GemmPair measure_pair(std::size_t n, const Int8Kernel& kernel, const Plan& plan) {
  const Buffer floats(3 * n * n * sizeof(float), Pages::huge), results(n * n * sizeof(std::int32_t), Pages::huge);
  fill_random(floats.as<float>(), 4);
  float *a = floats.as<float>().data(), *b = a + n * n, *c = b + n * n;
  const auto a8 = random_bytes<std::uint8_t>(n * n, 1);
  const auto b8 = random_bytes<std::int8_t>(n * n, 2);
  std::int32_t* c8 = results.as<std::int32_t>().data();
  const Sampling sampling =
      sample_interleaved({timed("fp32", [=] { matmul::gemm(n, n, n, a, b, c); }),
                          timed("int8", [&, c8] { kernel.multiply(n, n, n, a8.data(), b8.data(), c8); })},
                         plan);
  const double side = static_cast<double>(n), operations = 2 * side * side * side;
  return {n, rate(operations, sampling.of("fp32")), rate(operations, sampling.of("int8")),
          sampling.ratio("fp32", "int8")};
}

}  // namespace

UnitPeaks measure_unit_peaks(const Lab& lab, const Int8Kernel& kernel, const Plan& plan) {
  Team one(1);
  const PeakVariant fp32 = peak_variant(Precision::fp32, one);
  std::vector<Variant> variants = {fp32.variant,
                                   timed("int8", one, [&](int) { keep(kernel.peak(iterations_per_call, 3, 5)); })};
  const roofline::DotProductLoop* bf16 = nullptr;
  for (const roofline::DotProductLoop* loop : roofline::dot_product_loops(lab.machine())) {
    if (std::string(loop->label) == "bf16") bf16 = loop;
  }
  if (bf16) variants.push_back(timed("bf16", one, [=](int) { keep(bf16->run(iterations_per_call, 3, 5)); }));
  const bool tiles = can_use_tiles(lab.machine());
  if (tiles) check_tiles();
  if (tiles) variants.push_back(timed("tiles", one, [](int) { keep(tile_peak(iterations_per_call, 3, 5)); }));
  const Sampling sampling = sample_interleaved(variants, plan);

  const double operations = kernel.peak_operations * iterations_per_call;
  UnitPeaks peaks = {rate(fp32.flops, sampling.of("peak")), rate(operations, sampling.of("int8")), {}, {}, {}};
  if (bf16) peaks.bf16 = rate(bf16->operations * iterations_per_call, sampling.of("bf16"));
  if (tiles) peaks.tiles = rate(tile_operations() * iterations_per_call, sampling.of("tiles"));
  peaks.int8_over_fp32 = ratio(peaks.int8.samples, peaks.fp32.samples);
  return peaks;
}

Series peak_series(const std::string& id, const UnitPeaks& peaks) {
  Series bars = {id, "peak", Kind::measured, {"precision", "1"}, {"speed", "Gop/s"}};
  bars.points.emplace_back(0, peaks.fp32, "fp32");
  if (peaks.bf16) bars.points.emplace_back(1, *peaks.bf16, "bf16");
  bars.points.emplace_back(2, peaks.int8, "int8");
  if (peaks.tiles) bars.points.emplace_back(3, *peaks.tiles, "int8 tiles");
  return bars;
}

std::vector<GemmPair> measure_gemms(const Lab& lab, const Int8Kernel& kernel) {
  const std::vector<std::size_t> sizes = lab.quick() ? std::vector<std::size_t>{128, 256, 512}
                                                     : std::vector<std::size_t>{128, 192, 256, 384, 512, 768, 1024};
  const Plan plan = lab.plan(static_cast<int>(sizes.size()) + 2);
  std::vector<GemmPair> pairs;
  for (const std::size_t n : sizes) pairs.push_back(measure_pair(n, kernel, plan));
  return pairs;
}

Series gemm_series(const std::string& id, const std::string& label, const std::vector<GemmPair>& pairs,
                   Estimate GemmPair::*speed) {
  Series series = {id, label, Kind::measured, {"N", "1"}, {"speed", "Gop/s"}};
  for (const GemmPair& pair : pairs) series.points.emplace_back(static_cast<double>(pair.n), pair.*speed);
  return series;
}

void check_int8(const Int8Kernel& kernel) {
  const std::size_t m = 37, n = 301, k = 1100;
  const auto a = random_bytes<std::uint8_t>(m * k, 5);
  const auto b = random_bytes<std::int8_t>(k * n, 6);
  std::vector<std::int32_t> c(m * n);
  kernel.multiply(m, n, k, a.data(), b.data(), c.data());
  const auto expected = plain_int8_product(m, n, k, a.data(), b.data());
  if (!std::equal(c.begin(), c.end(), expected.begin()))
    throw std::runtime_error(std::string("the int8 product with ") + kernel.name + " is wrong; nothing was timed");
  if (kernel.peak(100, 3, 5) != 100 * 4 * 3 * 5)
    throw std::runtime_error(std::string("the dot products of ") + kernel.name + " are wrong; nothing was timed");
}

}  // namespace hf::tpu
