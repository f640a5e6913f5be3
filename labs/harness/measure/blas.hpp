/// \file
/// The system's matrix-product libraries, which a lab looks for at run time, as peers to compare with.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernel_choice.hpp"
#include "shared_library.hpp"

namespace hf {

enum class Transpose { no, yes };

/// The system's OpenBLAS, or plain loops if it is not installed. Debian's build treats a processor newer than itself as
/// a very old one, so the kernels that are fastest on this machine over all sizes are found by trial, regardless of
/// OPENBLAS_CORETYPE.
class Blas {
 public:
  /// Loads the library on the first call, which takes a second and must come before threads are started.
  static Blas& get();

  bool is_library() const { return gemm_ != nullptr; }
  const std::string& version() const { return version_; }  ///< "0.3.21"; empty for plain loops
  const std::string& core() const { return core_; }        ///< "SkylakeX"; empty for plain loops
  std::string name() const;                                ///< "OpenBLAS 0.3.21 (SkylakeX)" or "plain loops"

  /// Sets the number of threads that gemm() uses; initially 1. Plain loops always use one.
  void set_threads(int threads);

  /// c = alpha · op(a) · op(b) + beta · c, all row-major in fp32: op(a) is (m, k), op(b) is (k, n), c is (m, n). `ld…`
  /// is the distance between stored rows, in floats. A product with a vector uses sgemv. With beta = 0, c is not read.
  void gemm(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
            const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c,
            std::size_t ldc) const;

  /// The signatures in cblas.h. Order: 101 is row-major. Transposition: 111 no, 112 yes.
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

/// The product with a library's cblas_sgemm; empty for null.
decltype(Kernels::multiply) product_with(Blas::Gemm* gemm);

/// The kernels of an OpenBLAS, which are named after processors.
/// \param prefix  of its functions' names: "scipy_" in SciPy's wheels
KernelChoice openblas_kernels(const std::function<SharedLibrary()>& load, const std::string& prefix = "");

/// The version of a library that a lab looks for at run time: "OpenBLAS", "scipy-openblas" (from SciPy's wheels),
/// "oneDNN", "MKL", "PyTorch", or "llama-cpp-python" (with the instruction sets it uses).
/// \return "0.3.21", or "none"
std::string library_version(const std::string& name);

}  // namespace hf
