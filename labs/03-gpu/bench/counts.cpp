// Resources that each rung of the fp32 ladder needs, counted on the emulator.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/sgemm_observed.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

using emulator::Counts;
using emulator::GlobalArray;
using emulator::ObservedRung;

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

void count_ladder(Lab& lab) {
  Series wavefronts = {
      "rung_wavefronts", "wavefronts", Kind::simulated, {"rung", "1"}, {"for each FMA of a warp", "1"}};
  Table table = {"The ladder on an emulated GPU, for each FMA of a warp",
                 {"rung", "global sectors", "wavefronts", "L2, B per FMA"},
                 {}};
  double x = 0;
  for (const ObservedRung& rung : emulator::observed_sgemm_rungs()) {
    lab.tick();
    const Asked asked = ask(rung, lab.quick() ? quick_size : full_size);
    constexpr double warp = emulator::warp_threads;
    wavefronts.points.emplace_back(++x, warp * asked.wavefronts, rung.label);
    table.rows.push_back({rung.label, number_text(warp * asked.sectors), number_text(warp * asked.wavefronts),
                          number_text(asked.l2_bytes)});
  }
  lab.show(table);
  lab.add(std::move(wavefronts));
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
