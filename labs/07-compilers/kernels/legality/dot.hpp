/// \file
/// One loop, dot.cpp.in, compiled twice.
#pragma once

#include <cstddef>

namespace hf::compilers {

/// Adds up the products from first to last, because C++ fixes the order.
float dot(const float* x, const float* y, std::size_t count);

/// The same with -fassociative-math: the compiler may add in any order.
float reordered_dot(const float* x, const float* y, std::size_t count);

}  // namespace hf::compilers
