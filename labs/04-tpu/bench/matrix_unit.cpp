#include "04-tpu/bench/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
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

/// 10^9 operations per second of one thread, from registers, interleaved.
struct UnitPeaks {
  Estimate fp32, int8;
  std::optional<Estimate> bf16;   ///< where there is an instruction for it
  std::optional<Estimate> tiles;  ///< int8 on tiles, where the machine has them
  Estimate int8_over_fp32;        ///< in pairs
};

/// The same square product in fp32, by the best kernel of lab 02, and in int8, both with their packing.
/// Operations per second as above.
struct GemmPair {
  std::size_t n;
  Estimate fp32, int8;
  Estimate int8_over_fp32;  ///< in pairs
};

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

/// A bar for each precision that was measured.
Series peak_series(const std::string& id, const UnitPeaks& peaks) {
  Series bars = {id, "peak", Kind::measured, {"precision", "1"}, {"speed", "Gop/s"}};
  bars.points.emplace_back(0, peaks.fp32, "fp32");
  if (peaks.bf16) bars.points.emplace_back(1, *peaks.bf16, "bf16");
  bars.points.emplace_back(2, peaks.int8, "int8");
  if (peaks.tiles) bars.points.emplace_back(3, *peaks.tiles, "int8 tiles");
  return bars;
}

/// Products of several sizes, the largest last, each pair interleaved; of the time of the step they leave a part to others.
std::vector<GemmPair> measure_gemms(const Lab& lab, const Int8Kernel& kernel) {
  const std::vector<std::size_t> sizes = lab.quick() ? std::vector<std::size_t>{128, 256, 512}
                                                     : std::vector<std::size_t>{128, 192, 256, 384, 512, 768, 1024};
  const Plan plan = lab.plan(static_cast<int>(sizes.size()) + 2);
  std::vector<GemmPair> pairs;
  for (const std::size_t n : sizes) pairs.push_back(measure_pair(n, kernel, plan));
  return pairs;
}

/// One precision of them over the size.
Series gemm_series(const std::string& id, const std::string& label, const std::vector<GemmPair>& pairs,
                   Estimate GemmPair::*speed) {
  Series series = {id, label, Kind::measured, {"N", "1"}, {"speed", "Gop/s"}};
  for (const GemmPair& pair : pairs) series.points.emplace_back(static_cast<double>(pair.n), pair.*speed);
  return series;
}

/// Holds the kernel against three plain loops on a product of several blocks.
/// \throws std::runtime_error, one line, where it is wrong
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

void note_what_is_missing(Lab& lab, const Int8Kernel& kernel, bool bf16) {
  if (!kernel.has_dot_product)
    lab.note("no dot products of 8-bit numbers: this core has no instruction for them, so int8 runs on plain vectors");
  if (!bf16) lab.note("no bf16 dot products: this core has no instruction for them");
  if (!can_use_tiles(lab.machine()))
    lab.note("no registers for tiles: this core has neither AMX nor SME, or the system keeps them");
}

/// An instruction on narrow numbers does as many more operations as more of them fit into a register, if it can start as
/// often.
void predict_matrix_unit(Lab& lab) {
  const double bf16 = sizeof(float) / 2.0, int8 = sizeof(float) / 1.0;
  lab.modelled("int8_peak_over_fp32_predicted", int8);
  lab.show({"Predicted peaks, if a dot product can start as often as an FMA",
            {"precision", "numbers in a register", "over fp32"},
            {{"bf16", "2 for each fp32", number_text(bf16)}, {"int8", "4 for each fp32", number_text(int8)}}});
}

}  // namespace

void measure_matrix_unit(Lab& lab) {
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  for (const Int8Kernel* each : int8_kernels(lab.machine())) check_int8(*each);
  predict_matrix_unit(lab);
  const UnitPeaks peaks = measure_unit_peaks(lab, kernel, lab.plan(4));
  note_what_is_missing(lab, kernel, peaks.bf16.has_value());
  lab.add(Value("peak_fp32_gflops", peaks.fp32, "GFLOP/s", "fp32 peak, 1 thread"));
  lab.add(Value("peak_int8_gops", peaks.int8, "Gop/s", std::string("int8 peak, 1 thread, ") + kernel.name));
  if (peaks.tiles) lab.add(Value("peak_tiles_gops", *peaks.tiles, "Gop/s", "int8 peak on tiles, 1 thread"));
  lab.add(Value("int8_peak_over_fp32_peak", peaks.int8_over_fp32, "1"));
  lab.add(peak_series("unit_peaks", peaks));

  const std::vector<GemmPair> products = measure_gemms(lab, kernel);
  const GemmPair& largest = products.back();
  lab.add(Value("gemm_fp32_gflops", largest.fp32, "GFLOP/s", "fp32 product, 1 thread"));
  lab.add(Value("gemm_int8_gops", largest.int8, "Gop/s", "int8 product, 1 thread"));
  lab.add(Value("int8_gemm_over_fp32_gemm", largest.int8_over_fp32, "1"));
  lab.add(gemm_series("gemm_fp32", "fp32", products, &GemmPair::fp32));
  lab.add(gemm_series("gemm_int8", "int8", products, &GemmPair::int8));
}

}  // namespace hf::tpu
