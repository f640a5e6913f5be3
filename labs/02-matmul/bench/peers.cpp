// The libraries that gemm() is measured against, those of them that this machine has.
#include "02-matmul/bench/steps.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/measure/blas.hpp"
#include "harness/measure/shared_library.hpp"

#ifdef HARDWARE_FIRST_LIBXSMM
#include <libxsmm.h>
#endif

namespace hf::matmul {
namespace {

constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

int as_int(std::size_t value) { return static_cast<int>(value); }

/// A library's cblas_sgemm as a peer's product.
auto multiply_with(Blas::Gemm* gemm) {
  return [gemm](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    gemm(101, 111, 111, as_int(m), as_int(n), as_int(k), 1, a, as_int(k), b, as_int(n), 0, c, as_int(n));
  };
}

void add_openblas(std::vector<Peer>& peers) {
  Blas& blas = Blas::get();
  if (!blas.is_library()) return;
  const auto multiply = [&blas](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    blas.gemm(Transpose::no, Transpose::no, m, n, k, 1, a, k, b, n, 0, c, n);
  };
  peers.push_back({"openblas", blas.name(), multiply, [&blas](int threads) { blas.set_threads(threads); }, any_size});
}

/// The OpenBLAS that SciPy's wheels are built with: its functions have a prefix.
void add_newer_openblas(std::vector<Peer>& peers) {
  const SharedLibrary library{"libscipy_openblas.so"};
  auto* const gemm = library.function<Blas::Gemm>("scipy_cblas_sgemm");
  auto* const set_threads = library.function<void(int)>("scipy_openblas_set_num_threads");
  auto* const core = library.function<char*()>("scipy_openblas_get_corename");
  if (gemm == nullptr || set_threads == nullptr || core == nullptr) return;
  peers.push_back({"openblas_new", "scipy-openblas " + library_version("scipy-openblas") + " (" + core() + ")",
                   multiply_with(gemm), set_threads, any_size, true});
}

void add_onednn(std::vector<Peer>& peers) {
  using Gemm =
      int(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);
  const SharedLibrary library{"libdnnl.so.3", "libdnnl.so.2"}, openmp{"libgomp.so.1"};
  auto* const gemm = library.function<Gemm>("dnnl_sgemm");
  auto* const set_threads = openmp.function<void(int)>("omp_set_num_threads");
  if (gemm == nullptr || set_threads == nullptr) return;
  const auto multiply = [gemm](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    const auto rows = static_cast<std::int64_t>(m), columns = static_cast<std::int64_t>(n);
    const auto depth = static_cast<std::int64_t>(k);
    gemm('N', 'N', rows, columns, depth, 1, a, depth, b, columns, 0, c, columns);
  };
  peers.push_back({"onednn", "oneDNN " + library_version("oneDNN"), multiply, set_threads, any_size});
}

void add_mkl(std::vector<Peer>& peers) {
  const SharedLibrary library{"libmkl_rt.so.3", "libmkl_rt.so.2"};
  auto* const gemm = library.function<Blas::Gemm>("cblas_sgemm");
  auto* const set_layer = library.function<int(int)>("MKL_Set_Threading_Layer");
  auto* const set_threads = library.function<void(int)>("MKL_Set_Num_Threads");
  if (gemm == nullptr || set_layer == nullptr || set_threads == nullptr) return;
  constexpr int gnu_openmp = 3;  // the OpenMP that the others use
  set_layer(gnu_openmp);
  peers.push_back({"mkl", "MKL " + library_version("MKL"), multiply_with(gemm), set_threads, any_size});
}

/// Makes machine code for each size, up to the size where it says it is better to ask others.
void add_libxsmm([[maybe_unused]] std::vector<Peer>& peers) {
#ifdef HARDWARE_FIRST_LIBXSMM
  const auto multiply = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    const float alpha = 1, beta = 0;
    const auto columns = as_int(n), rows = as_int(m), depth = as_int(k);
    // Column-major: the transposed product, so a and b change places.
    if (const auto kernel =
            libxsmm_smmdispatch(columns, rows, depth, nullptr, nullptr, nullptr, &alpha, &beta, nullptr, nullptr)) {
      kernel(b, a, c);
    }
  };
  peers.push_back({"libxsmm", "libxsmm " LIBXSMM_CONFIG_VERSION, multiply, {}, 512});
#endif
}

}  // namespace

std::vector<Peer> find_peers() {
  std::vector<Peer> peers;
  for (auto* const add : {add_openblas, add_newer_openblas, add_onednn, add_mkl, add_libxsmm}) add(peers);
  return peers;
}

}  // namespace hf::matmul
