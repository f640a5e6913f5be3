#include "03-gpu/kernels/emulator/warp_rules_observed.hpp"

#include "03-gpu/kernels/emulator/cuda_words.hpp"
// The kernels are included after the definitions that they need.
#include <cstdint>
#include <vector>

#include "03-gpu/kernels/cuda/divergence.cuh"
#include "03-gpu/kernels/cuda/transpose.cuh"
#include "03-gpu/kernels/emulator/launch.hpp"

namespace hf::emulator {
namespace {

dim3 tiles_of(int side) {
  const auto tiles = static_cast<unsigned>(side / gpu::transpose_tile);
  return {tiles, tiles};
}

constexpr dim3 block(gpu::transpose_tile, gpu::transpose_rows);

template <int row_words>
void by_tiles(int side, const float* from, float* to) {
  HF_LAUNCH(gpu::transpose_by_tiles<row_words>, tiles_of(side), block, side, from, to);
}

}  // namespace

std::vector<ObservedTranspose> observed_transposes() {
  return {{"naive", "naive",
           [](int side, const float* from, float* to) {
             HF_LAUNCH(gpu::transpose_naive, tiles_of(side), block, side, from, to);
           }},
          {"tile", "tile", by_tiles<gpu::transpose_tile>},
          {"padded_tile", "padded tile", by_tiles<gpu::padded_row_words>}};
}

void observe_divergence(int paths, bool inside_warp, int steps, std::uint32_t* results) {
  HF_LAUNCH(gpu::diverge, 1, observed_divergence_threads, paths, inside_warp, steps, results);
}

std::uint32_t expected_divergence(int thread, int paths, bool inside_warp, int steps) {
  auto x = static_cast<std::uint32_t>(thread);
  for (int step = 0; step < steps; ++step) x = gpu::path_step(gpu::path_of(thread, paths, inside_warp), x);
  return x;
}

}  // namespace hf::emulator
