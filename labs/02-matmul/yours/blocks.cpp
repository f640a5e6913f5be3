#include "02-matmul/yours/blocks.hpp"

#include <cstddef>
#include <vector>

#include "02-matmul/kernels/rung_loops.hpp"
#include "kit/gemm/gemm.hpp"

namespace hf::matmul {

std::vector<std::size_t> small_blocks() {
  return {tile_rows, tile_columns, register_tile.rows, register_tile.columns, KC};
}

std::vector<std::size_t> large_blocks() { return {NC, default_blocking().depth, default_blocking().width}; }

}  // namespace hf::matmul
