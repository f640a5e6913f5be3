/// \file
/// Optimizations that a compiler needs permission for: small loops, built by the system's compiler with and without it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hf::compilers {

/// Sizes of the product, that of a linear layer: x (rows, width) times weights (width, width).
constexpr std::size_t product_rows = 32, product_width = 768;

// The loops of permitted_loops.cpp. Smooth has two arrays and Rotate six; with `restrict` they must not overlap.
// Product adds to c.
using Smooth = void(float* y, const float* x, std::size_t count);
using Rotate = void(float* q0, float* q1, float* k0, float* k1, const float* cosine, const float* sine,
                    std::size_t count);
using Dot = float(const float* x, const float* y, std::size_t count);
using Product = void(const float* a, const float* b, float* c);

/// The loops. "Reordered" ones may add in any order. "Exchanged" ones are built with -floop-interchange, and null if
/// the compiler does not have that flag. The others keep the order of the source.
struct Permissions {
  Smooth *smooth, *smooth_restrict;
  Rotate *rotate, *rotate_restrict;
  Dot *dot, *dot_reordered;
  Product *product_jki, *product_ijk, *product_ikj;
  Product *product_ijk_exchanged, *product_ijk_both;  ///< loops i, j, k; "both": -floop-interchange and any order
  std::vector<std::shared_ptr<void>> code = {};       ///< keeps the functions loaded

  bool can_exchange() const { return product_ijk_exchanged != nullptr; }
};

/// Builds all loops, or takes them from the compiler's cache. Products and sums are not contracted into FMAs, so that
/// results can be compared to the bit.
/// \param compiler  as for find_toolchain(); \param cache  as for build()
/// \throws BuildError if there is no compiler, or it rejects a source or another flag
Permissions build_permissions(const std::string& compiler, const std::filesystem::path& cache);

/// Length of the vectors of "dot" and of the arrays of "smooth" and "rotate", which all fit into the level-1 cache.
constexpr std::size_t permission_numbers = 1024;

/// Do `times` rounds of 12 independent additions, limited only by the units that add: of numbers, and of vectors of
/// permission_lanes numbers.
extern const std::size_t permission_lanes;
void add_one_by_one(std::size_t times);
void add_in_vectors(std::size_t times);

}  // namespace hf::compilers
