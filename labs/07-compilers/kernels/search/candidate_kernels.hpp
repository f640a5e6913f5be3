/// \file
/// All micro-kernels of one tile width. CMake writes one source file for each width, so that the 128 kernels compile in
/// parallel. Tiles with fewer rows need no extra kernels: a taller tile needs them anyway where its rows run out.
#pragma once

#include <cstddef>

#include "07-compilers/kernels/search/candidate.hpp"
#include "kit/gemm/gemm_driver.hpp"
#include "kit/gemm/micro_kernel.hpp"

namespace hf::compilers {

/// multiply() with tiles that are `vectors` vectors wide.
template <std::size_t vectors>
void multiply_wide(const Candidate& candidate, const ProductShape& shape, const float* a, const float* b, float* c) {
  const auto& [m, n, k] = shape;
  if (candidate.unroll == 1) {
    using Kernels = matmul::TileKernels<most_tile_rows, vectors, 1>;
    return matmul::multiply_scheduled<Kernels>(m, n, k, a, b, c, 1, candidate.schedule);
  }
  using Kernels = matmul::TileKernels<most_tile_rows, vectors, 4>;
  matmul::multiply_scheduled<Kernels>(m, n, k, a, b, c, 1, candidate.schedule);
}

}  // namespace hf::compilers
