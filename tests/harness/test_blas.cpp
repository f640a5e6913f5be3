#include "harness/measure/blas.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "process.hpp"

namespace {

using hf::Transpose;
using Matrix = std::vector<float>;

Matrix random_matrix(std::size_t size, std::mt19937& generator) {
  std::uniform_real_distribution<float> numbers(-1, 1);
  Matrix matrix(size);
  for (float& x : matrix) x = numbers(generator);
  return matrix;
}

/// One product with rows stored further apart than they are long, compared with the definition in double precision.
/// \return the largest error as a share of the bound (k + 2) · u · Σ|products| (Higham, 2002, chapter 3)
double worst_error_share(Transpose ta, Transpose tb, std::size_t m, std::size_t n, std::size_t k, float alpha,
                         float beta) {
  std::mt19937 generator(static_cast<unsigned>(m * 100 + n * 10 + k));
  const bool turned_a = ta == Transpose::yes, turned_b = tb == Transpose::yes;
  const std::size_t lda = (turned_a ? m : k) + 3, ldb = (turned_b ? k : n) + 1, ldc = n + 2;
  const Matrix a = random_matrix((turned_a ? k : m) * lda, generator),
               b = random_matrix((turned_b ? n : k) * ldb, generator);
  const Matrix before = random_matrix(m * ldc, generator);
  Matrix c = before;
  if (beta == 0) std::fill(c.begin(), c.end(), std::numeric_limits<float>::quiet_NaN());
  hf::Blas::get().gemm(ta, tb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
  double worst = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = beta == 0 ? 0 : static_cast<double>(beta) * before[i * ldc + j], magnitude = std::abs(sum);
      for (std::size_t p = 0; p < k; ++p) {
        const double product = static_cast<double>(alpha) * (turned_a ? a[p * lda + i] : a[i * lda + p]) *
                               (turned_b ? b[j * ldb + p] : b[p * ldb + j]);
        sum += product;
        magnitude += std::abs(product);
      }
      const double bound = static_cast<double>(k + 2) * 0x1p-24 * magnitude;
      worst = std::max(worst, std::abs(c[i * ldc + j] - sum) / std::max(bound, 1e-30));
      if (std::isnan(c[i * ldc + j])) return std::numeric_limits<double>::infinity();
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("gemm computes every transposition, and products with vectors") {
  for (const Transpose ta : {Transpose::no, Transpose::yes}) {
    for (const Transpose tb : {Transpose::no, Transpose::yes}) {
      for (const auto& shape : {std::array<std::size_t, 3>{1, 1, 1},
                                {1, 17, 9},
                                {13, 1, 7},
                                {1, 5, 0},
                                {4, 3, 0},
                                {0, 3, 2},
                                {31, 33, 65},
                                {64, 64, 64}}) {
        const std::size_t m = shape[0], n = shape[1], k = shape[2];
        INFO(m, " × ", n, " × ", k);
        CHECK(worst_error_share(ta, tb, m, n, k, 1, 0) <= 1);
        CHECK(worst_error_share(ta, tb, m, n, k, 0.5f, 2) <= 1);
      }
    }
  }
}

TEST_CASE("the library says what it is, and so does its absence") {
  const hf::Blas& blas = hf::Blas::get();
  CHECK(hf::library_version("OpenBLAS") == (blas.is_library() ? blas.version() : "none"));
  CHECK(hf::library_version("a library nobody wrote") == "none");
  {
    const FakePython python("printf 2.15.0\n");
    CHECK(hf::library_version("PyTorch") == "2.15.0");
  }
  const FakePython nowhere("");
  CHECK(hf::library_version("PyTorch") == "none");
  CHECK_FALSE(blas.name().empty());
}
