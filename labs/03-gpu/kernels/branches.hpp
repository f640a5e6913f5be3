/// \file
/// A branch for each number, on one number at a time and on whole vectors.
#pragma once

#include <cstddef>

namespace hf::gpu {

/// Terms of the polynomial in the long branch; the short branch is one multiplication.
constexpr std::size_t long_way_terms = 32;

/// The numbers that fit in one vector here.
std::size_t vector_lanes();

/// y[i] = long_way(x[i]) where x[i] < threshold, else short_way(x[i]); a processor takes only one of the branches.
void branch_scalar(const float* x, float* y, std::size_t count, float threshold);

/// The same on vectors: if a vector's lanes disagree, it takes both branches, and each lane keeps its own result.
/// \param count  a multiple of vector_lanes()
void branch_vector(const float* x, float* y, std::size_t count, float threshold);

/// The same in double precision, in plain code: the reference for both.
double branch_reference(float x, float threshold);

/// The allowed difference from the reference, for x from 0 to 1: two roundings for each term, none of which is larger
/// than the sum of all coefficients (Higham, 2002, section 5.1).
double branch_error_bound();

/// Predicts nanoseconds per number for vectors when a share of randomly placed numbers takes the long branch: a vector
/// pays for a branch if any of its lanes takes it.
/// \param short_ns, long_ns  the time for each branch if all lanes agree
double divergence_model(double share, std::size_t lanes, double short_ns, double long_ns);

}  // namespace hf::gpu
