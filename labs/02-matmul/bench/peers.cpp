// The libraries that gemm() is compared with, if this machine has them.
#include "02-matmul/bench/steps.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "harness/measure/blas.hpp"
#include "harness/measure/shared_library.hpp"
#include "harness/measure/threads.hpp"

#ifdef HARDWARE_FIRST_LIBXSMM
#include <libxsmm.h>
#endif

namespace hf::matmul {
namespace {

constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

int as_int(std::size_t value) { return static_cast<int>(value); }

/// Returns a library's cblas_sgemm as the product of a peer.
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

/// Adds the OpenBLAS of SciPy's wheels, whose functions have a prefix.
void add_newer_openblas(std::vector<Peer>& peers) {
  const SharedLibrary library{"libscipy_openblas.so"};
  auto* const gemm = library.function<Blas::Gemm>("scipy_cblas_sgemm");
  auto* const set_threads = library.function<void(int)>("scipy_openblas_set_num_threads");
  auto* const core = library.function<char*()>("scipy_openblas_get_corename");
  if (gemm == nullptr || set_threads == nullptr || core == nullptr) return;
  peers.push_back({"openblas_new", "scipy-openblas " + library_version("scipy-openblas") + " (" + core() + ")",
                   multiply_with(gemm), set_threads, any_size, true});
}

/// Adds oneDNN, on OpenMP's threads if it is built for them. Otherwise it has its own threads, those of TBB: as many as
/// the cores that the thread of its first call may use. Pinning that thread limits them to one; nothing else does.
void add_onednn(std::vector<Peer>& peers) {
  struct Version {
    int major, minor, patch;
    const char* hash;
    unsigned cpu_runtime;
  };
  constexpr unsigned on_openmp = 2;
  using Gemm =
      int(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);
  const SharedLibrary library{"libdnnl.so.3", "libdnnl.so.2"}, openmp{"libgomp.so.1"};
  auto* const gemm = library.function<Gemm>("dnnl_sgemm");
  auto* const version = library.function<const Version*()>("dnnl_version");
  auto* const set_threads = openmp.function<void(int)>("omp_set_num_threads");
  if (gemm == nullptr || version == nullptr || set_threads == nullptr) return;
  const auto multiply = [gemm](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    const auto rows = static_cast<std::int64_t>(m), columns = static_cast<std::int64_t>(n);
    const auto depth = static_cast<std::int64_t>(k);
    gemm('N', 'N', rows, columns, depth, 1, a, depth, b, columns, 0, c, columns);
  };
  const bool own_threads = version()->cpu_runtime != on_openmp;
  if (own_threads) {
    const Pinned to_one_core;
    constexpr std::size_t n = 256;
    const std::vector<float> a(n * n, 1.25f), b(n * n, 0.75f);
    std::vector<float> c(n * n);
    multiply(n, n, n, a.data(), b.data(), c.data());
  }
  peers.push_back({"onednn", "oneDNN " + library_version("oneDNN"), multiply,
                   own_threads ? std::function<void(int)>() : set_threads, any_size, own_threads});
}

void add_mkl(std::vector<Peer>& peers) {
  const SharedLibrary library{"libmkl_rt.so.3", "libmkl_rt.so.2"};
  auto* const gemm = library.function<Blas::Gemm>("cblas_sgemm");
  auto* const set_layer = library.function<int(int)>("MKL_Set_Threading_Layer");
  auto* const set_threads = library.function<void(int)>("MKL_Set_Num_Threads");
  if (gemm == nullptr || set_layer == nullptr || set_threads == nullptr) return;
  constexpr int gnu_openmp = 3;  // the same OpenMP as the other peers
  set_layer(gnu_openmp);
  peers.push_back({"mkl", "MKL " + library_version("MKL"), multiply_with(gemm), set_threads, any_size});
}

/// Adds libxsmm, which generates machine code for each size, up to the size above which it recommends other libraries.
void add_libxsmm([[maybe_unused]] std::vector<Peer>& peers) {
#ifdef HARDWARE_FIRST_LIBXSMM
  const auto multiply = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    const float alpha = 1, beta = 0;
    const auto columns = as_int(n), rows = as_int(m), depth = as_int(k);
    // Column-major: it computes the transposed product, so a and b are exchanged.
    if (const auto kernel =
            libxsmm_smmdispatch(columns, rows, depth, nullptr, nullptr, nullptr, &alpha, &beta, nullptr, nullptr)) {
      kernel(b, a, c);
    }
  };
  peers.push_back({"libxsmm", "libxsmm " LIBXSMM_CONFIG_VERSION, multiply, {}, 512});
#endif
}

SharedLibrary load_blis() { return {"libblis.so.4", "libblis.so"}; }

/// Products per second on one thread with the library that loads now; 0 without one.
double blis_speed() {
  const SharedLibrary library = load_blis();
  auto* const gemm = library.function<Blas::Gemm>("cblas_sgemm");
  auto* const set_threads = library.function<void(std::int64_t)>("bli_thread_set_num_threads");
  if (gemm == nullptr || set_threads == nullptr) return 0;
  set_threads(1);
  return products_per_second(gemm);
}

void add_blis(std::vector<Peer>& peers) {
  // On a processor newer than itself, BLIS uses its slowest kernels. Each version numbers them differently.
  choose_fastest("BLIS_ARCH_TYPE", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, blis_speed);
  const SharedLibrary library = load_blis();
  auto* const gemm = library.function<Blas::Gemm>("cblas_sgemm");
  auto* const set_threads = library.function<void(std::int64_t)>("bli_thread_set_num_threads");
  auto* const on_openmp = library.function<std::int64_t()>("bli_info_get_enable_openmp");
  auto* const version = library.function<const char*()>("bli_info_get_version_str");
  auto* const family = library.function<int()>("bli_arch_query_id");
  auto* const family_name = library.function<const char*(int)>("bli_arch_string");
  if (gemm == nullptr || set_threads == nullptr || on_openmp == nullptr || version == nullptr || family == nullptr ||
      family_name == nullptr) {
    return;
  }
  set_threads(1);  // also initializes BLIS for the calls below
  peers.push_back({"blis", std::string("BLIS ") + version() + " (" + family_name(family()) + ")", multiply_with(gemm),
                   [set_threads](int threads) { set_threads(threads); }, any_size, on_openmp() == 0});
}

}  // namespace

std::vector<Peer> find_peers() {
  std::vector<Peer> peers;
  for (auto* const add : {add_openblas, add_newer_openblas, add_onednn, add_mkl, add_libxsmm, add_blis}) add(peers);
  return peers;
}

}  // namespace hf::matmul
