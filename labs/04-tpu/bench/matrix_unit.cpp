#include "04-tpu/bench/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "04-tpu/kernels/tiles.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/narrow/int8_gemm.hpp"
#include "kit/random.hpp"

namespace hf::tpu {
namespace {

constexpr std::int64_t iterations_per_call = 200;  // a microsecond or two

void check_tiles() {
  if (tile_peak(100, 3, 5) != 100 * tile_depth() * 3 * 5)
    throw std::runtime_error("the tile products (AMX, SME) are wrong; nothing was timed");
}

/// Operands of square products in fp32 (by lab 02's best kernel) and in int8; the timings of both include packing.
struct Operands {
  explicit Operands(std::size_t n)
      : floats(3 * n * n * sizeof(float), Pages::huge),
        sums(n * n * sizeof(std::int32_t), Pages::huge),
        a8(random_bytes<std::uint8_t>(n * n, 1)),
        b8(random_bytes<std::int8_t>(n * n, 2)) {
    fill_random(floats.as<float>(), 4);
  }
  Buffer floats, sums;
  std::vector<std::uint8_t> a8;
  std::vector<std::int8_t> b8;
};

std::string id(const char* precision, std::size_t n) { return precision + (" product " + std::to_string(n)); }

/// Compares the kernel with three plain loops on a product of several blocks.
/// \throws std::runtime_error, one line, if the kernel is wrong
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

void note_what_is_missing(Lab& lab, const Int8Kernel& kernel, bool tiles) {
  if (!kernel.has_dot_product)
    lab.note("no dot products of 8-bit numbers: this core has no instruction for them, so int8 runs on plain vectors");
  if (!tiles)
    lab.note("no tile registers: this core has neither AMX nor SME, or the operating system doesn't allow them");
}

/// Adds the peaks of one thread on registers, with a bar for each precision.
void add_peaks(Lab& lab, const Int8Kernel& kernel, const PeakVariant& fp32, const Sampling& sampling, bool tiles) {
  const Estimate fp32_speed = rate(fp32.flops, sampling.of("peak"));
  const Estimate int8_speed = rate(kernel.peak_operations * iterations_per_call, sampling.of("int8"));
  Series bars = {"unit_peaks", "peak", Kind::measured, {"precision", "1"}, {"speed", "Gop/s"}};
  bars.points.emplace_back(0, fp32_speed, "fp32");
  bars.points.emplace_back(1, int8_speed, "int8");
  if (tiles)
    bars.points.emplace_back(2, rate(tile_operations() * iterations_per_call, sampling.of("tiles")), "int8 tiles");
  lab.add(Value("peak_fp32_gflops", fp32_speed, "GFLOP/s", "fp32 peak, 1 thread"));
  lab.add(Value("peak_int8_gops", int8_speed, "Gop/s", std::string("int8 peak, 1 thread, ") + kernel.name));
  lab.add(Value("int8_peak_over_fp32_peak", ratio(int8_speed.samples, fp32_speed.samples), "1"));
  lab.add(std::move(bars));
}

void add_products(Lab& lab, const std::vector<std::size_t>& sizes, const Sampling& sampling) {
  const Axis size = {"N", "1"}, speed = {"speed", "Gop/s"};
  Series fp32 = {"gemm_fp32", "fp32", Kind::measured, size, speed},
         int8 = {"gemm_int8", "int8", Kind::measured, size, speed};
  for (const std::size_t n : sizes) {
    const double side = static_cast<double>(n), operations = 2 * side * side * side;
    fp32.points.emplace_back(side, rate(operations, sampling.of(id("fp32", n))));
    int8.points.emplace_back(side, rate(operations, sampling.of(id("int8", n))));
  }
  lab.add(Value("gemm_fp32_gflops", fp32.points.back().y, "GFLOP/s", "fp32 product, 1 thread"));
  lab.add(Value("gemm_int8_gops", int8.points.back().y, "Gop/s", "int8 product, 1 thread"));
  lab.add(Value("int8_gemm_over_fp32_gemm", sampling.ratio(id("fp32", sizes.back()), id("int8", sizes.back())), "1"));
  lab.add(std::move(fp32));
  lab.add(std::move(int8));
}

}  // namespace

/// Measures products and their peaks side by side, because a machine's speed varies from second to second.
void measure_matrix_unit(Lab& lab) {
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  for (const Int8Kernel* each : int8_kernels(lab.machine())) check_int8(*each);
  const bool tiles = can_use_tiles(lab.machine());
  if (tiles) check_tiles();
  note_what_is_missing(lab, kernel, tiles);
  // A register holds four times as many int8 as fp32 numbers, so an int8 instruction that starts as often does four
  // times the operations.
  lab.modelled("int8_peak_over_fp32_predicted", static_cast<double>(sizeof(float)) / sizeof(std::int8_t));
  Team one(1);
  const PeakVariant fp32 = peak_variant(Precision::fp32, one);
  std::vector<Variant> variants = {fp32.variant,
                                   timed("int8", one, [&](int) { keep(kernel.peak(iterations_per_call, 3, 5)); })};
  if (tiles) variants.push_back(timed("tiles", one, [](int) { keep(tile_peak(iterations_per_call, 3, 5)); }));
  const std::vector<std::size_t> sizes = lab.quick() ? std::vector<std::size_t>{128, 256, 512}
                                                     : std::vector<std::size_t>{128, 192, 256, 384, 512, 768, 1024};
  const Operands of(sizes.back());
  std::int32_t* const c8 = of.sums.as<std::int32_t>().data();
  for (const std::size_t n : sizes) {
    float *a = of.floats.as<float>().data(), *b = a + n * n, *c = b + n * n;
    variants.push_back(timed(id("fp32", n), [=] { matmul::gemm(n, n, n, a, b, c); }));
    variants.push_back(timed(id("int8", n), [&, n] { kernel.multiply(n, n, n, of.a8.data(), of.b8.data(), c8); }));
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan());
  add_peaks(lab, kernel, fp32, sampling, tiles);
  add_products(lab, sizes, sampling);
}

}  // namespace hf::tpu
