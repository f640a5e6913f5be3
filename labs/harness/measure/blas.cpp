#include "blas.hpp"

#include <cstddef>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "command.hpp"
#include "kernel_choice.hpp"
#include "shared_library.hpp"

namespace hf {
namespace {

SharedLibrary load_openblas() { return {"libopenblas.so.0", "libopenblas.so"}; }

/// The version in the library's get_config(): "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64".
std::string openblas_version(const SharedLibrary& library, const char* get_config = "openblas_get_config") {
  auto* const config = library.function<char*()>(get_config);
  if (config == nullptr) return "";
  std::istringstream words(config());
  std::string word;
  words >> word >> word;
  return word;
}

SharedLibrary load_fastest_openblas() {
  const KernelChoice choice = openblas_kernels(load_openblas);
  return load_with(choice, fastest_values(choice).front());
}

int as_int(std::size_t value) { return static_cast<int>(value); }
int as_blas(Transpose transpose) { return transpose == Transpose::no ? 111 : 112; }
Transpose flipped(Transpose transpose) { return transpose == Transpose::no ? Transpose::yes : Transpose::no; }

/// gemm() without a library.
void plain_gemm(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
                const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c,
                std::size_t ldc) {
  for (std::size_t i = 0; i < m; ++i, c += ldc) {
    for (std::size_t j = 0; j < n; ++j) c[j] = beta == 0 ? 0 : beta * c[j];
    for (std::size_t p = 0; p < k; ++p) {
      const float factor = alpha * (transpose_a ? a[p * lda + i] : a[i * lda + p]);
      if (transpose_b) {
        for (std::size_t j = 0; j < n; ++j) c[j] += factor * b[j * ldb + p];
      } else {
        for (std::size_t j = 0; j < n; ++j) c[j] += factor * b[p * ldb + j];
      }
    }
  }
}

}  // namespace

decltype(Kernels::multiply) product_with(Blas::Gemm* gemm) {
  if (gemm == nullptr) return {};
  return [gemm](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    gemm(101, 111, 111, as_int(m), as_int(n), as_int(k), 1, a, as_int(k), b, as_int(n), 0, c, as_int(n));
  };
}

KernelChoice openblas_kernels(const std::function<SharedLibrary()>& load, const std::string& prefix) {
  const auto find = [prefix](const SharedLibrary& library) -> Kernels {
    auto* const core = library.function<char*()>((prefix + "openblas_get_corename").c_str());
    auto* const set_threads = library.function<void(int)>((prefix + "openblas_set_num_threads").c_str());
    if (core == nullptr || set_threads == nullptr) return {};
    return {core(), product_with(library.function<Blas::Gemm>((prefix + "cblas_sgemm").c_str())), set_threads};
  };
#if defined(__x86_64__)
  const std::vector<std::string> cores = {"SapphireRapids", "Cooperlake", "SkylakeX", "Zen", "Haswell"};
#else
  const std::vector<std::string> cores;
#endif
  return {"OPENBLAS_CORETYPE", cores, load, find};
}

Blas& Blas::get() {
  static Blas blas;
  return blas;
}

Blas::Blas() : library_(load_fastest_openblas()), version_(openblas_version(library_)) {
  gemm_ = library_.function<Gemm>("cblas_sgemm");
  gemv_ = library_.function<Gemv>("cblas_sgemv");
  if (auto* const core = library_.function<char*()>("openblas_get_corename")) core_ = core();
  set_threads(1);
}

std::string Blas::name() const { return is_library() ? "OpenBLAS " + version_ + " (" + core_ + ")" : "plain loops"; }

void Blas::set_threads(int threads) {
  if (auto* const set = library_.function<void(int)>("openblas_set_num_threads")) set(threads);
}

void Blas::gemm(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
                const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c,
                std::size_t ldc) const {
  const bool turned_a = transpose_a == Transpose::yes, turned_b = transpose_b == Transpose::yes;
  if (!is_library() || k == 0) return plain_gemm(turned_a, turned_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  const int la = as_int(lda), lb = as_int(ldb), lc = as_int(ldc);
  if (m == 1) {  // row · matrix = transposed matrix · column
    gemv_(101, as_blas(flipped(transpose_b)), as_int(turned_b ? n : k), as_int(turned_b ? k : n), alpha, b, lb, a,
          turned_a ? la : 1, beta, c, 1);
  } else if (n == 1) {
    gemv_(101, as_blas(transpose_a), as_int(turned_a ? k : m), as_int(turned_a ? m : k), alpha, a, la, b,
          turned_b ? 1 : lb, beta, c, lc);
  } else {
    gemm_(101, as_blas(transpose_a), as_blas(transpose_b), as_int(m), as_int(n), as_int(k), alpha, a, la, b, lb, beta,
          c, lc);
  }
}

namespace {

std::string onednn_version() {
  struct Version {
    int major, minor, patch;
  };
  const SharedLibrary library{"libdnnl.so.3", "libdnnl.so.2"};
  auto* const get = library.function<const Version*()>("dnnl_version");
  if (get == nullptr) return "";
  return std::to_string(get()->major) + "." + std::to_string(get()->minor) + "." + std::to_string(get()->patch);
}

/// The version in "Intel(R) oneAPI Math Kernel Library Version 2024.0-Product Build …".
std::string mkl_version() {
  const SharedLibrary library{"libmkl_rt.so.3", "libmkl_rt.so.2"};
  auto* const get = library.function<void(char*, int)>("mkl_get_version_string");
  if (get == nullptr) return "";
  char text[200] = "";
  get(text, sizeof text);
  std::istringstream words(text);
  for (std::string word, before; words >> word; before = word) {
    if (before == "Version") return word.substr(0, word.find('-'));
  }
  return "";
}

/// The version with the processor features it uses: "0.3.36 (AVX, AVX2, OPENMP)".
std::string llama_version() {
  const std::string text = output_of({"python3", "-c",
                                      "import llama_cpp as l; print(l.__version__, end=' (');"
                                      "words = l.llama_print_system_info().decode().split('|');"
                                      "print(*(w.split(':')[-1].split('=')[0].strip() for w in words if '= 1' in w),"
                                      "sep=', ', end=')')"});
  return text.empty() ? "none" : text;
}

/// Finds the version without importing PyTorch, which takes seconds.
std::string pytorch_version() {
  const std::string text =
      output_of({"python3", "-c", "from importlib.metadata import version; print(version('torch'), end='')"});
  return text.empty() ? "none" : text;
}

}  // namespace

std::string library_version(const std::string& name) {
  if (name == "llama-cpp-python") return llama_version();
  if (name == "PyTorch") return pytorch_version();
  const Ended ended =
      run_in_child(60, [&]() -> std::string {  // confines the choices that a library makes when it loads
        keep_quiet();
        if (name == "OpenBLAS") return openblas_version(load_openblas());
        if (name == "scipy-openblas") return openblas_version({"libscipy_openblas.so"}, "scipy_openblas_get_config");
        if (name == "oneDNN") return onednn_version();
        if (name == "MKL") return mkl_version();
        return "";
      });
  return ended.well() && !ended.text.empty() ? ended.text : "none";
}

}  // namespace hf
