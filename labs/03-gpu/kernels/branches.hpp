/// \file
/// A branch that each number decides for itself, on one number at a time and on whole vectors.
#pragma once

#include <cstddef>

namespace hf::gpu {

/// Terms of the polynomial on the long way; the short way is one multiplication.
constexpr std::size_t long_way_terms = 32;

/// How many numbers one vector holds here.
std::size_t vector_lanes();

/// y[i] = long_way(x[i]) where x[i] < threshold, else short_way(x[i]); a processor takes one way or the other.
void branch_scalar(const float* x, float* y, std::size_t count, float threshold);

/// The same on vectors: where the lanes of one disagree, it takes both ways, and each lane keeps its own result.
/// \param count  a multiple of vector_lanes()
void branch_vector(const float* x, float* y, std::size_t count, float threshold);

/// The same in double precision, in plain code: the reference for both.
double branch_reference(float x, float threshold);

/// How far from the reference a result may be, for x from 0 to 1: two roundings for each term, none of which is larger
/// than the sum of all coefficients (Higham, 2002, section 5.1).
double branch_error_bound();

/// Nanoseconds per number that vectors should take when a share of randomly placed numbers goes the long way: a vector
/// pays for a way when any of its lanes takes it.
/// \param short_ns, long_ns  the time for each way when all lanes agree
double divergence_model(double share, std::size_t lanes, double short_ns, double long_ns);

}  // namespace hf::gpu
