// The libraries that gemm() is compared with, if this machine has them.
#include "02-matmul/bench/steps.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "harness/measure/blas.hpp"
#include "harness/measure/kernel_choice.hpp"
#include "harness/measure/shared_library.hpp"
#include "harness/measure/threads.hpp"

#ifdef HARDWARE_FIRST_LIBXSMM
#include <libxsmm.h>
#endif

namespace hf::matmul {
namespace {

constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

int as_int(std::size_t value) { return static_cast<int>(value); }

/// Returns the library with each set of its kernels that is the fastest at some size; nothing if it is missing.
std::vector<Kernels> load_fastest(const KernelChoice& choice) {
  return load_side_by_side(choice, fastest_values(choice));
}

/// Adds a library whose kernels have names, if it was found.
void add(std::vector<Peer>& peers, const std::string& id, const std::string& name, const std::vector<Kernels>& kernels,
         bool own_threads) {
  std::string names;
  for (const Kernels& each : kernels) names += (names.empty() ? "" : ", ") + each.name;
  if (!kernels.empty()) peers.push_back({id, name + " (" + names + ")", kernels, any_size, own_threads});
}

void add_openblas(std::vector<Peer>& peers) {
  const auto load = [] { return SharedLibrary{"libopenblas.so.0", "libopenblas.so"}; };
  add(peers, "openblas", "OpenBLAS " + library_version("OpenBLAS"), load_fastest(openblas_kernels(load)), false);
}

/// Adds the OpenBLAS of SciPy's wheels, whose functions have a prefix.
void add_newer_openblas(std::vector<Peer>& peers) {
  const auto load = [] { return SharedLibrary{"libscipy_openblas.so"}; };
  const std::vector<Kernels> kernels = load_fastest(openblas_kernels(load, "scipy_"));
  add(peers, "openblas_new", "scipy-openblas " + library_version("scipy-openblas"), kernels, true);
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
  const Kernels kernels = {"", multiply, own_threads ? std::function<void(int)>() : set_threads};
  peers.push_back({"onednn", "oneDNN " + library_version("oneDNN"), {kernels}, any_size, own_threads});
}

void add_mkl(std::vector<Peer>& peers) {
  const SharedLibrary library{"libmkl_rt.so.3", "libmkl_rt.so.2"};
  auto* const gemm = library.function<Blas::Gemm>("cblas_sgemm");
  auto* const set_layer = library.function<int(int)>("MKL_Set_Threading_Layer");
  auto* const set_threads = library.function<void(int)>("MKL_Set_Num_Threads");
  if (gemm == nullptr || set_layer == nullptr || set_threads == nullptr) return;
  constexpr int gnu_openmp = 3;  // the same OpenMP as the other peers
  set_layer(gnu_openmp);
  peers.push_back({"mkl", "MKL " + library_version("MKL"), {{"", product_with(gemm), set_threads}}, any_size});
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
  peers.push_back({"libxsmm", "libxsmm " LIBXSMM_CONFIG_VERSION, {{"", multiply, {}}}, 512});
#endif
}

/// Returns the kernels of a BLIS. It chooses them in its first call, and on a processor newer than itself it chooses its
/// slowest.
Kernels blis_kernels(const SharedLibrary& library) {
  auto* const set_threads = library.function<void(std::int64_t)>("bli_thread_set_num_threads");
  auto* const family = library.function<int()>("bli_arch_query_id");
  auto* const family_name = library.function<const char*(int)>("bli_arch_string");
  if (set_threads == nullptr || family == nullptr || family_name == nullptr) return {};
  set_threads(1);
  return {family_name(family()), product_with(library.function<Blas::Gemm>("cblas_sgemm")),
          [set_threads](int threads) { set_threads(threads); }};
}

/// "BLIS 0.9.0"; "AOCL-BLAS 5.3.0" for AMD's version, which calls itself "AOCL-BLAS 5.3.0 Build 20260507"
std::string blis_version(const SharedLibrary& library) {
  auto* const get = library.function<const char*()>("bli_info_get_version_str");
  const std::string version = get != nullptr ? get() : "";
  return version.starts_with("AOCL") ? version.substr(0, version.find(" Build")) : "BLIS " + version;
}

void add_a_blis(std::vector<Peer>& peers, const std::string& id, const std::vector<std::string>& values,
                const std::function<SharedLibrary()>& load) {
  const std::vector<Kernels> kernels = load_fastest({"BLIS_ARCH_TYPE", values, load, blis_kernels});
  const SharedLibrary library = load();
  auto* const on_openmp = library.function<std::int64_t()>("bli_info_get_enable_openmp");
  const bool on_llvm_openmp = library.function<void()>("__kmpc_fork_call") != nullptr;
  add(peers, id, blis_version(library), kernels, on_openmp == nullptr || on_openmp() == 0 || on_llvm_openmp);
}

void add_blis(std::vector<Peer>& peers) {
  // Each version numbers its kernels differently.
  add_a_blis(peers, "blis", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, [] {
    return SharedLibrary{"libblis.so.4", "libblis.so"};
  });
}

/// Adds AMD's version of BLIS.
void add_aocl(std::vector<Peer>& peers) {
  add_a_blis(peers, "aocl", {"zen5", "zen4", "zen3", "skx", "haswell"}, [] {
    return SharedLibrary{"libblis-mt.so.5", "libblis-mt.so"};
  });
}

}  // namespace

std::vector<Peer> find_peers() {
  std::vector<Peer> peers;
  // MKL comes last: it makes its functions global, so a library loaded after it may call MKL's functions of the same name
  // in place of its own, as BLIS does.
  for (auto* const add : {add_openblas, add_blis, add_aocl, add_newer_openblas, add_onednn, add_libxsmm, add_mkl})
    add(peers);
  return peers;
}

}  // namespace hf::matmul
