// Resources that each rung of the fp32 ladder needs, counted on the emulator and divided by a GPU's rates.
#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/sgemm_observed.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"

namespace hf::gpu {
namespace {

using emulator::Counts;
using emulator::GlobalArray;
using emulator::ObservedRung;

/// Peak rates of a GPU, as published by its maker (NVIDIA, Ampere GA102 GPU Architecture, V2.0, 2021).
struct GpuRates {
  double multiprocessors, ghz, memory_gbs;
  double fmas_per_tick = 128, wavefronts_per_tick = 1;  ///< of a multiprocessor; a wavefront is up to 128 bytes
};
constexpr GpuRates a6000 = {.multiprocessors = 84, .ghz = 1.8, .memory_gbs = 768};

/// The TFLOP/s of the same idea as a rung's, on an A6000 with N = 4096 (Boehm, 2022, the table at its end).
struct QuotedRung {
  std::string_view id;
  double tflops;
};
constexpr std::array quoted_rungs = {QuotedRung{"naive", 0.3090},       QuotedRung{"coalesced", 1.9865},
                                     QuotedRung{"shared_tile", 2.9803}, QuotedRung{"register_tile", 15.9717},
                                     QuotedRung{"vectorised", 18.2373}, QuotedRung{"warp_tile", 21.7793}};

constexpr double quoted_side = 4096;

/// Resources that a rung needs for each of its FMAs.
struct Asked {
  double sectors;     ///< of global loads
  double wavefronts;  ///< of L1 cache and shared memory, which are one unit: a global load takes one per line
  double l2_bytes;    ///< if L1 keeps all that a block loads while it runs
};

/// The product's rows, columns and depth. A block of the last rungs computes 128 × 256 numbers.
struct Size {
  std::size_t m, n, k;
};
constexpr Size quick_size = {128, 256, 64}, full_size = {256, 256, 256};

Asked ask(const ObservedRung& rung, const Size& size) {
  const auto [m, n, k] = size;
  std::vector<float> a(m * k), b(k * n);
  fill_random(a, 1);
  fill_random(b, 2);
  const GlobalArray<float> on_gpu_a(a), on_gpu_b(b), on_gpu_c(m * n);
  emulator::take_counts();
  rung.multiply(static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), on_gpu_a.data(), on_gpu_b.data(),
                on_gpu_c.data());
  const Counts counts = emulator::take_counts();
  const std::vector<float> c = on_gpu_c.to_host();
  if (worst_product_error(m, n, k, a.data(), b.data(), c.data(), 1000) > 1)
    throw std::runtime_error(std::string(rung.label) + " is wrong on the emulator; nothing was counted");
  const auto fmas = static_cast<double>(m * n * k);
  const auto number = [](auto count) { return static_cast<double>(count); };
  return {number(counts.global_loads.sectors) / fmas,
          number(counts.shared_loads.wavefronts + counts.shared_stores.wavefronts + counts.global_loads.lines) / fmas,
          number(emulator::sector_bytes * counts.block_sectors) / fmas};
}

struct Bound {
  double tflops;
  const char* by;
};

/// Returns the speed that the slowest resource allows, if everything else is free.
Bound bound(const Asked& asked, const GpuRates& gpu) {
  const double ticks_per_s = gpu.multiprocessors * gpu.ghz * 1e9;  // of all multiprocessors together
  const double dram_bytes_per_fma = 3 * 4 / quoted_side;           // each matrix is moved once
  const std::array limits = {Bound{2e-12 * ticks_per_s * gpu.fmas_per_tick, "arithmetic"},
                             Bound{2e-12 * ticks_per_s * gpu.wavefronts_per_tick / asked.wavefronts, "wavefronts"},
                             Bound{2e-3 * gpu.memory_gbs / dram_bytes_per_fma, "memory"}};
  return *std::ranges::min_element(limits, {}, &Bound::tflops);
}

void count_ladder(Lab& lab) {
  const Axis rung_axis = {"rung", "1"}, speed = {"speed", "TFLOP/s"};
  Series sectors = {
      "rung_sectors", "sectors of global loads", Kind::simulated, rung_axis, {"for each FMA of a warp", "1"}};
  Series wavefronts = {"rung_wavefronts", "wavefronts", Kind::simulated, rung_axis, {"for each FMA of a warp", "1"}};
  Series l2 = {"rung_l2_bytes", "bytes from L2", Kind::simulated, rung_axis, {"for each FMA", "B"}};
  Series bounds = {"rung_bound_a6000", "bound", Kind::modelled, rung_axis, speed};
  Series quoted = {"rung_quoted_a6000", "Boehm's kernels", Kind::quoted, rung_axis, speed, {}, "boehm2022"};
  Table table = {
      "The ladder on an emulated GPU, for each FMA of a warp; and what an RTX A6000 could make of it at most",
      {"rung", "global sectors", "wavefronts", "L2, B per FMA", "TFLOP/s", "by"},
      {}};
  double x = 0;
  for (const ObservedRung& rung : emulator::observed_sgemm_rungs()) {
    lab.tick();
    const Asked asked = ask(rung, lab.quick() ? quick_size : full_size);
    const Bound most = bound(asked, a6000);
    constexpr double warp = emulator::warp_threads;
    ++x;
    sectors.points.emplace_back(x, warp * asked.sectors, rung.label);
    wavefronts.points.emplace_back(x, warp * asked.wavefronts, rung.label);
    l2.points.emplace_back(x, asked.l2_bytes, rung.label);
    bounds.points.emplace_back(x, most.tflops, rung.label);
    const auto* same = std::ranges::find(quoted_rungs, std::string_view(rung.id), &QuotedRung::id);
    if (same != quoted_rungs.end()) quoted.points.emplace_back(x, same->tflops, rung.label);
    table.rows.push_back({rung.label, number_text(warp * asked.sectors), number_text(warp * asked.wavefronts),
                          number_text(asked.l2_bytes), number_text(most.tflops), most.by});
  }
  lab.show(table);
  for (Series* series : {&sectors, &wavefronts, &l2, &bounds, &quoted}) lab.add(std::move(*series));
}

}  // namespace

/// The steps may fail: some systems don't let a program reserve as much memory as the emulator does.
std::vector<Step> emulator_steps() {
  return {
      {.name = "ladder, counted", .measure = count_ladder, .quick_seconds = 0.5, .full_seconds = 5, .may_fail = true},
      {.name = "rules of a warp, counted",
       .measure = count_warp_rules,
       .quick_seconds = 0.5,
       .full_seconds = 0.5,
       .may_fail = true}};
}

}  // namespace hf::gpu
