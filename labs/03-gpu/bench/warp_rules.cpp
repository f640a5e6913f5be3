// Costs of a warp's access patterns, banks and branches, counted on the emulator, with a kernel for each rule.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/warp_rules_observed.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

using emulator::Counts;
using emulator::GlobalArray;
using emulator::ObservedTranspose;

double per(std::uint64_t count, std::uint64_t of) { return static_cast<double>(count) / static_cast<double>(of); }

Counts count(const ObservedTranspose& transpose, std::size_t side) {
  std::vector<float> from(side * side);
  fill_random(from, 1);
  const GlobalArray<float> on_gpu_from(from), on_gpu_to(side * side);
  emulator::take_counts();
  transpose.run(static_cast<int>(side), on_gpu_from.data(), on_gpu_to.data());
  const std::vector<float> to = on_gpu_to.to_host();
  for (std::size_t at = 0; at < to.size(); ++at)
    if (to[at] != from[at % side * side + at / side])
      throw std::runtime_error("transpose, " + std::string(transpose.label) + ", is wrong on the emulator");
  return emulator::take_counts();
}

/// Returns the basic blocks that all warps run if two branches divide the threads of every warp, or only the warps.
double basic_blocks(bool inside_warp) {
  constexpr int paths = 2, steps = 64;
  const GlobalArray<std::uint32_t> results(emulator::observed_divergence_threads);
  emulator::take_counts();
  emulator::observe_divergence(paths, inside_warp, steps, results.data());
  const std::vector<std::uint32_t> found = results.to_host();
  for (std::size_t thread = 0; thread < found.size(); ++thread)
    if (found[thread] != emulator::expected_divergence(static_cast<int>(thread), paths, inside_warp, steps))
      throw std::runtime_error("diverge is wrong on the emulator");
  return static_cast<double>(emulator::take_counts().basic_blocks);
}

/// Adds a simulated number, unless it was measured on a GPU.
void add_where_no_gpu(Lab& lab, const std::string& id, double simulated) {
  if (!lab.has(id)) lab.simulated(id, simulated);
}

}  // namespace

void count_warp_rules(Lab& lab) {
  const Axis version = {"version", "1"};
  std::vector<double> sectors;  // of global stores, for each request of a warp
  Series wavefronts = {
      "transpose_wavefronts", "wavefronts of shared loads", Kind::simulated, version, {"for each request", "1"}};
  Table table = {"Transposing a matrix on an emulated GPU, for each request of a warp",
                 {"version", "sectors, storing", "wavefronts, loading shared memory"},
                 {}};
  std::vector<Counts> all;
  for (const ObservedTranspose& transpose : emulator::observed_transposes()) {
    lab.tick();
    const Counts& counts = all.emplace_back(count(transpose, 256));
    const auto x = static_cast<double>(all.size());
    const double stored = per(counts.global_stores.sectors, counts.global_stores.requests);
    sectors.push_back(stored);
    table.rows.push_back({transpose.label, number_text(stored), "-"});
    if (counts.shared_loads.requests == 0) continue;
    const double loaded = per(counts.shared_loads.wavefronts, counts.shared_loads.requests);
    wavefronts.points.emplace_back(x, loaded, transpose.label);
    table.rows.back().back() = number_text(loaded);
  }
  lab.show(table);
  add_where_no_gpu(lab, "gpu_coalescing_gain", sectors[0] / sectors[1]);
  add_where_no_gpu(lab, "gpu_bank_conflict_cost", wavefronts.points[0].y.median / wavefronts.points[1].y.median);
  add_where_no_gpu(lab, "divergence_gpu_gain", basic_blocks(true) / basic_blocks(false));
  lab.add(std::move(wavefronts));
}

}  // namespace hf::gpu
