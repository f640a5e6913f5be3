/// \file
/// A sparse matrix times a dense one, in fp32: what is left of the multiplications when the zeros are left out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "06-precision/kernels/sparsity/sparse_matrix.hpp"

namespace hf::precision {

/// c = a · b: a is (m, k), b (k, n), c (m, n), the last two row-major without gaps; on one thread.
void sparse_gemm(const CsrMatrix<std::uint16_t>& a, std::size_t n, const float* b, float* c);

/// Bytes that the kernel loads for each multiplication and addition, mostly of b, from the nearest cache. A dense product
/// keeps numbers in registers, and uses each many times; where the next number of a will be, nobody knows.
extern const double sparse_gemm_bytes_loaded;

}  // namespace hf::precision
