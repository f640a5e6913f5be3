/// \file
/// The matrix-product libraries of this system, found when a lab runs: peers to race against, and what calls them.
#pragma once

#include <cstddef>
#include <string>

#include "shared_library.hpp"

namespace hf {

enum class Transpose { no, yes };

/// The system's OpenBLAS, or plain loops where there is none. Debian's build mistakes a processor newer than itself for
/// a very old one, so the core type that is fastest on this machine is found by trying, whatever OPENBLAS_CORETYPE says.
class Blas {
 public:
  /// Loads it at the first call, which takes a second; make it before starting threads.
  static Blas& get();

  bool is_library() const { return gemm_ != nullptr; }
  const std::string& version() const { return version_; }  ///< "0.3.21"; empty for plain loops
  const std::string& core() const { return core_; }        ///< "SkylakeX"; empty for plain loops
  std::string name() const;                                ///< "OpenBLAS 0.3.21 (SkylakeX)" or "plain loops"

  /// How many threads gemm() uses from now on; 1 at first. Plain loops always use one.
  void set_threads(int threads);

  /// c = alpha · op(a) · op(b) + beta · c, all row-major in fp32: op(a) is (m, k), op(b) is (k, n), c is (m, n). `ld…` is
  /// the distance between stored rows, in floats. A product with a vector goes to sgemv. With beta = 0, c is not read.
  void gemm(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
            const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c,
            std::size_t ldc) const;

  /// The signatures of cblas.h. Order: row-major is 101. Transposition: 111 no, 112 yes.
  using Gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                    int lda, const float* b, int ldb, float beta, float* c, int ldc);
  using Gemv = void(int order, int transpose, int rows, int columns, float alpha, const float* a, int lda,
                    const float* x, int stride_x, float beta, float* y, int stride_y);

 private:
  Blas();

  SharedLibrary library_;
  Gemm* gemm_ = nullptr;
  Gemv* gemv_ = nullptr;
  std::string version_, core_;
};

/// The version of a library that is found when a lab runs: "OpenBLAS", "scipy-openblas" (the
/// one in SciPy's wheels), "oneDNN", "MKL", "PyTorch", or "llama-cpp-python" (with the instructions it uses).
/// \return "0.3.21", or "none"
std::string library_version(const std::string& name);

}  // namespace hf
