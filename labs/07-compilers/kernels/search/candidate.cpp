#include "07-compilers/kernels/search/candidate.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "02-matmul/kernels/gemm.hpp"
#include "02-matmul/kernels/gemm_driver.hpp"
#include "02-matmul/kernels/micro_kernel.hpp"
#include "02-matmul/kernels/schedule.hpp"
#include "harness/vector.hpp"

namespace hf::compilers {

const std::size_t kernel_lanes = lanes, kernel_registers = vector_registers;

std::string ProductShape::text() const { return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k); }

// Each in a source file of its own: see candidate_kernels.hpp.
template <std::size_t vectors>
void multiply_wide(const Candidate&, const ProductShape&, const float*, const float*, float*);
extern template void multiply_wide<1>(const Candidate&, const ProductShape&, const float*, const float*, float*);
extern template void multiply_wide<2>(const Candidate&, const ProductShape&, const float*, const float*, float*);
extern template void multiply_wide<3>(const Candidate&, const ProductShape&, const float*, const float*, float*);
extern template void multiply_wide<4>(const Candidate&, const ProductShape&, const float*, const float*, float*);

void multiply(const Candidate& candidate, const ProductShape& shape, const float* a, const float* b, float* c) {
  constexpr std::array wide = {multiply_wide<1>, multiply_wide<2>, multiply_wide<3>, multiply_wide<4>};
  static_assert(wide.size() == most_tile_vectors);
  wide[candidate.vectors - 1](candidate, shape, a, b, c);
}

Candidate chosen_by_hand(const ProductShape& shape) {
  using matmul::Use;
  using Tile = matmul::TileKernels<matmul::tile_rows, matmul::tile_columns / lanes>;
  const auto& [m, n, k] = shape;
  const matmul::Division all =
      matmul::divide<Tile>(m, n, k, {nullptr, k}, {nullptr, n}, {.blocking = matmul::default_blocking()});
  return {.vectors = Tile::columns / lanes,
          .unroll = 1,
          .schedule = {.blocking = {all.depth, all.width},
                       .tile_rows = Tile::rows,
                       .copy_a = all.copy ? Use::always : Use::never,
                       .pack_b = all.pack ? Use::always : Use::never}};
}

}  // namespace hf::compilers
