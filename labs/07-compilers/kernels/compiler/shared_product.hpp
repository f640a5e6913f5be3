/// \file
/// A matrix product by all cores, or one where there is a OneCore, whatever its shape.
#pragma once

#include <cstddef>

#include "02-matmul/kernels/gemm.hpp"

namespace hf::compilers {

/// c = a · b: a (m, k), b (k, n), c (m, n), and then what the epilogue does. Cores share the rows of c, or its columns where
/// there are many more of those; of a product with one row, the rows of b.
void shared_product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
                    matmul::Epilogue epilogue = {});

/// Whether cores share its columns, so that each reads its part of b: where there are few rows that is what takes longest.
constexpr bool shares_columns(std::size_t m, std::size_t n) { return n > 4 * m; }

}  // namespace hf::compilers
