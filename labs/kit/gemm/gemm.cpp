#include "kit/gemm/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "harness/machine/machine.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/gemm_driver.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/partition.hpp"

namespace hf::matmul {

const TileSize register_tile = {tile_rows, tile_columns};

Blocking choose_blocking(std::uint64_t l2_bytes) {
  const double floats = block_bytes(l2_bytes) / sizeof(float);
  const std::size_t depth = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(2 * floats)), 64, 1024);
  return {depth, round_up(static_cast<std::size_t>(floats / static_cast<double>(depth)), tile_columns)};
}

Blocking default_blocking() {
  static const Blocking blocking = choose_blocking(probe_machine().cache_bytes(2));
  return blocking;
}

void gemm(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c, int threads,
          Blocking blocking, Epilogue epilogue) {
  multiply_scheduled<TileKernels<tile_rows, tile_columns / lanes>>(m, n, k, a, b, c, threads, {.blocking = blocking},
                                                                   epilogue);
}

void gemm_part(const Rectangle& part, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
               Blocking blocking, Epilogue epilogue) {
  multiply<TileKernels<tile_rows, tile_columns / lanes>>(part, k, {a + part.row * k, k}, {b + part.column, n},
                                                         c + part.row * n + part.column, n, {.blocking = blocking},
                                                         epilogue);
}

}  // namespace hf::matmul
