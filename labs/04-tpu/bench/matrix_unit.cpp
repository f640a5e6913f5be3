#include "04-tpu/bench/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "04-tpu/kernels/int8_gemm.hpp"
#include "04-tpu/kernels/tiles.hpp"
#include "common/random.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"

namespace hf::tpu {
namespace {

constexpr std::int64_t iterations_per_call = 200;  // a microsecond or two

void check_tiles() {
  if (tile_peak(100, 3, 5) != 100 * tile_depth() * 3 * 5)
    throw std::runtime_error("the tile products (AMX, SME) are wrong; nothing was timed");
}

/// The same square product in fp32, by the best kernel of lab 02, and in int8, both with their packing.
Sampling time_gemms(std::size_t n, const Int8Kernel& kernel, const Plan& plan) {
  const Buffer floats(3 * n * n * sizeof(float), Pages::huge), results(n * n * sizeof(std::int32_t), Pages::huge);
  fill_random(floats.as<float>(), 4);
  float *a = floats.as<float>().data(), *b = a + n * n, *c = b + n * n;
  const auto a8 = random_bytes<std::uint8_t>(n * n, 1);
  const auto b8 = random_bytes<std::int8_t>(n * n, 2);
  std::int32_t* c8 = results.as<std::int32_t>().data();
  return sample_interleaved({timed("fp32", [=] { matmul::gemm(n, n, n, a, b, c); }),
                             timed("int8", [&, c8] { kernel.multiply(n, n, n, a8.data(), b8.data(), c8); })},
                            plan);
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

/// Of one thread, from registers, interleaved; a bar for each precision that this machine has an instruction for.
void measure_unit_peaks(Lab& lab, const Int8Kernel& kernel) {
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
  const Sampling sampling = sample_interleaved(variants, lab.plan(4));

  note_what_is_missing(lab, kernel, bf16 != nullptr);

  const Estimate fp32_speed = rate(fp32.flops, sampling.of("peak"));
  const Estimate int8_speed = rate(kernel.peak_operations * iterations_per_call, sampling.of("int8"));
  Series bars = {"unit_peaks", "peak", Kind::measured, {"precision", "1"}, {"speed", "Gop/s"}};
  bars.points.emplace_back(0, fp32_speed, "fp32");
  if (bf16) bars.points.emplace_back(1, rate(bf16->operations * iterations_per_call, sampling.of("bf16")), "bf16");
  bars.points.emplace_back(2, int8_speed, "int8");
  lab.add(Value("peak_fp32_gflops", fp32_speed, "GFLOP/s", "fp32 peak, 1 thread"));
  lab.add(Value("peak_int8_gops", int8_speed, "Gop/s", std::string("int8 peak, 1 thread, ") + kernel.name));
  if (tiles) {
    const Estimate speed = rate(tile_operations() * iterations_per_call, sampling.of("tiles"));
    bars.points.emplace_back(3, speed, "int8 tiles");
    lab.add(Value("peak_tiles_gops", speed, "Gop/s", "int8 peak on tiles, 1 thread"));
  }
  lab.add(Value("int8_peak_over_fp32_peak", ratio(int8_speed.samples, fp32_speed.samples), "1"));
  lab.add(std::move(bars));
}

/// Products of several sizes, each pair interleaved; of the time of the step they leave a part to others.
void measure_gemms(Lab& lab, const Int8Kernel& kernel) {
  const std::vector<std::size_t> sizes = lab.quick() ? std::vector<std::size_t>{128, 256, 512}
                                                     : std::vector<std::size_t>{128, 192, 256, 384, 512, 768, 1024};
  const Plan plan = lab.plan(static_cast<int>(sizes.size()) + 2);
  const Axis size = {"N", "1"}, speed = {"speed", "Gop/s"};
  Series fp32 = {"gemm_fp32", "fp32", Kind::measured, size, speed},
         int8 = {"gemm_int8", "int8", Kind::measured, size, speed};
  Sampling sampling;  // in the end, of the largest
  for (const std::size_t n : sizes) {
    sampling = time_gemms(n, kernel, plan);
    const double side = static_cast<double>(n), operations = 2 * side * side * side;
    fp32.points.emplace_back(side, rate(operations, sampling.of("fp32")));
    int8.points.emplace_back(side, rate(operations, sampling.of("int8")));
  }
  lab.add(Value("gemm_fp32_gflops", fp32.points.back().y, "GFLOP/s", "fp32 product, 1 thread"));
  lab.add(Value("gemm_int8_gops", int8.points.back().y, "Gop/s", "int8 product, 1 thread"));
  lab.add(Value("int8_gemm_over_fp32_gemm", sampling.ratio("fp32", "int8"), "1"));
  lab.add(std::move(fp32));
  lab.add(std::move(int8));
}

}  // namespace

void measure_matrix_unit(Lab& lab) {
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  for (const Int8Kernel* each : int8_kernels(lab.machine())) check_int8(*each);
  // An instruction does as many more operations as more numbers fit into a register, if it can start as often.
  lab.modelled("int8_peak_over_fp32_predicted", static_cast<double>(sizeof(float)) / sizeof(std::int8_t));
  measure_unit_peaks(lab, kernel);
  measure_gemms(lab, kernel);
}

}  // namespace hf::tpu
