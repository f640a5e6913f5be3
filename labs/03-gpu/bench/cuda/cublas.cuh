/// \file
/// The ways in which cuBLAS computes our products: row-major c (m, n) = a (m, k) · b (k, n). In bf16 and e4m3, b is
/// transposed, and c is in bf16.
/// cuBLAS is column-major: as bᵀ and aᵀ it gets our rows of b and a, and it writes c by rows.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "03-gpu/kernels/cuda/bf16_gemm.cuh"
#include "03-gpu/kernels/cuda/e4m3.hpp"
#include "03-gpu/kernels/cuda/sgemm.cuh"
#include "kit/cuda/device.cuh"

namespace hf::gpu {

/// \throws std::runtime_error naming what failed and why
inline void check_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}
#define HF_CUBLAS(call) ::hf::gpu::check_cublas((call), #call)

/// cuBLAS's own choice.
class Cublas {
 public:
  explicit Cublas(cublasMath_t mode) {
    HF_CUBLAS(cublasCreate(&handle_));
    HF_CUBLAS(cublasSetMathMode(handle_, mode));
  }
  ~Cublas() { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  void multiply(GemmShape shape, const float* a, const float* b, float* c) const {
    const auto [m, n, k] = shape;
    const float one = 1, zero = 0;
    HF_CUBLAS(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n));
  }
  void multiply(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c) const {
    const auto [m, n, k] = shape;
    const float one = 1, zero = 0;
    HF_CUBLAS(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16BF, k, a, CUDA_R_16BF, k,
                           &zero, c, CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// The kernels, at most eight, that cuBLAS expects to be the fastest for one shape, with 64 MiB to work in. Sums are in
/// fp32, and fp32 is never rounded to TF32. In e4m3, cuBLAS promotes sums from time to time, unless it is told otherwise.
template <class Number>
class CublasLt {
 public:
  using Result = std::conditional_t<std::is_same_v<Number, E4m3>, Bf16, Number>;

  explicit CublasLt(GemmShape shape) : workspace_(std::size_t{64} << 20) {
    constexpr bool transposed = !std::is_same_v<Number, float>;
    const auto [m, n, k] = shape;
    create(handle_, cublasLtDestroy, cublasLtCreate);
    create(operation_, cublasLtMatmulDescDestroy, cublasLtMatmulDescCreate, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const cublasOperation_t of_b = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    HF_CUBLAS(cublasLtMatmulDescSetAttribute(operation_.get(), CUBLASLT_MATMUL_DESC_TRANSA, &of_b, sizeof of_b));
    const auto layout = [](Owned<cublasLtMatrixLayout_t>& matrix, int rows, int columns, cudaDataType type) {
      create(matrix, cublasLtMatrixLayoutDestroy, cublasLtMatrixLayoutCreate, type, rows, columns, rows);
    };
    layout(a_, k, m, type_of(Number()));
    transposed ? layout(b_, k, n, type_of(Number())) : layout(b_, n, k, type_of(Number()));
    layout(c_, n, m, type_of(Result()));
    choose();
  }

  int size() const { return static_cast<int>(candidates_.size()); }

  /// \param candidate  below size(); the one expected to be the fastest is 0
  void multiply(int candidate, const Number* a, const Number* b, Result* c, float scale = 1) {
    const float zero = 0;
    const cublasLtMatmulHeuristicResult_t& chosen = candidates_[static_cast<std::size_t>(candidate)];
    HF_CUBLAS(cublasLtMatmul(handle_.get(), operation_.get(), &scale, b, b_.get(), a, a_.get(), &zero, c, c_.get(), c,
                             c_.get(), &chosen.algo, workspace_.data(), chosen.workspaceSize, nullptr));
  }

 private:
  static cudaDataType type_of(float) { return CUDA_R_32F; }
  static cudaDataType type_of(Bf16) { return CUDA_R_16BF; }
  static cudaDataType type_of(E4m3) { return CUDA_R_8F_E4M3; }

  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

  template <class Handle, class Create, class... Arguments>
  static void create(Owned<Handle>& owned, cublasStatus_t (*destroy)(Handle), Create create, Arguments... arguments) {
    Handle handle = nullptr;
    HF_CUBLAS(create(&handle, arguments...));
    owned = Owned<Handle>(handle, destroy);
  }

  void choose() {
    Owned<cublasLtMatmulPreference_t> preference(nullptr, nullptr);
    create(preference, cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreferenceCreate);
    const std::size_t bytes = workspace_.size();
    HF_CUBLAS(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                                   sizeof bytes));
    candidates_.resize(8);
    int found = 0;
    HF_CUBLAS(cublasLtMatmulAlgoGetHeuristic(handle_.get(), operation_.get(), b_.get(), a_.get(), c_.get(), c_.get(),
                                             preference.get(), size(), candidates_.data(), &found));
    candidates_.resize(static_cast<std::size_t>(found));
    std::erase_if(candidates_, [](const auto& each) { return each.state != CUBLAS_STATUS_SUCCESS; });
  }

  Owned<cublasLtHandle_t> handle_{nullptr, nullptr};
  Owned<cublasLtMatmulDesc_t> operation_{nullptr, nullptr};
  Owned<cublasLtMatrixLayout_t> a_{nullptr, nullptr}, b_{nullptr, nullptr}, c_{nullptr, nullptr};
  cuda::DeviceArray<unsigned char> workspace_;
  std::vector<cublasLtMatmulHeuristicResult_t> candidates_;
};

}  // namespace hf::gpu
