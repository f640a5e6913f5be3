/// \file
/// The recurrence that makes attention without its matrix possible, in its plainest form.
#pragma once

#include <cstddef>
#include <span>

#include "07-compilers/kernels/attention/flash_attention.hpp"

namespace hf::compilers {

/// The attention of query i, one key after the other, in fp64. Nothing grows with the number of keys.
/// \param out  d long
/// \return how often a score was higher than all before it, the first among them
std::size_t online_attention(const Head& head, const float* q, const float* k, const float* v, std::size_t i,
                             std::span<double> out);

/// How many of n random scores are higher than all before them, on average: the j-th with the probability 1/j.
double expected_new_highs(std::size_t n);

}  // namespace hf::compilers
