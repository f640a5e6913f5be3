/// \file
/// The two functions that networks call most often, as one loop over a row, because a network that waits for them waits
/// neither for multiply-adds nor for memory.
#pragma once

#include <cstddef>

namespace hf::your_model {

/// y[i] = e^x[i] for n numbers, with a relative error of at most 2^-23 (kit/exponential.hpp).
void exponentials(const float* x, float* y, std::size_t n);

/// y[i] = GELU(x[i]) for n numbers, in the form with tanh. With z = √(2/π) · (x + 0.044715 x³), the relative error is at
/// most (5 + 8 |z|) · 2^-24; results smaller than 2^-124 may be 0.
void gelus(const float* x, float* y, std::size_t n);

}  // namespace hf::your_model
