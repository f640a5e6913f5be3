/// \file
/// What a compiler may do only when it is told that it may: small loops, built by the system's compiler with
/// permission and without.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hf::compilers {

/// The product is that of a linear layer: x (rows, width) times weights (width, width).
constexpr std::size_t product_rows = 32, product_width = 768;

// Of permitted_loops.cpp: of two arrays, or six, which must not overlap where they are `restrict`; the product adds to c.
using Smooth = void(float* y, const float* x, std::size_t count);
using Rotate = void(float* q0, float* q1, float* k0, float* k1, const float* cosine, const float* sine,
                    std::size_t count);
using Dot = float(const float* x, const float* y, std::size_t count);
using Product = void(const float* a, const float* b, float* c);

/// The loops. "Reordered" are those that may add in any order, "exchanged" those built with
/// -floop-interchange, null where the compiler does not know it; the others keep the order that is written down.
struct Permissions {
  Smooth *smooth, *smooth_restrict;
  Rotate *rotate, *rotate_restrict;
  Dot *dot, *dot_reordered;
  Product *product_jki, *product_ijk, *product_ikj;
  Product *product_ijk_exchanged, *product_ijk_both;  ///< written i, j, k; the last was built with both
  std::vector<std::shared_ptr<void>> code = {};       ///< they are there as long as this

  bool can_exchange() const { return product_ijk_exchanged != nullptr; }
};

/// Builds them all, or takes them from the compiler's cache. Products and sums are not contracted into FMAs, so that results
/// can be compared to the bit.
/// \param compiler  as find_toolchain() takes it; \param cache  as build() does
/// \throws BuildError where there is no compiler, or it refuses a source or another flag
Permissions build_permissions(const std::string& compiler, const std::filesystem::path& cache);

/// How long the vectors of "dot" are, and the arrays of "smooth" and "rotate": all in the nearest cache.
constexpr std::size_t permission_numbers = 1024;

/// So many additions that wait for nothing but the units that add: of numbers, and of vectors of so many lanes.
extern const std::size_t permission_lanes;
void add_one_by_one(std::size_t times);
void add_in_vectors(std::size_t times);

}  // namespace hf::compilers
