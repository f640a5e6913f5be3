/// \file
/// oneDNN's matrix product of narrow numbers, where the library is installed: the peer of int8 and bf16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace hf {

/// Whether oneDNN is where the system keeps its libraries, or in LD_LIBRARY_PATH, in version 3: of another one the
/// interface is not known here, and it does not race.
bool has_onednn();

/// "oneDNN 3.2.0"; "oneDNN none" where it is not installed. Starts a process: to be called before threads are started.
std::string onednn_name();

/// c = a · b by oneDNN's matmul primitive: a (m, k), b (k, n) and c (m, n) row-major without gaps. b is copied once, into
/// the layout that the library chooses, as it is done with the weights of a model; a is used as it lies. The library makes
/// machine code for this shape and number of threads.
class OneDnnProduct {
 public:
  /// \pre has_onednn(); m, n, k at least 1; a and c live as long as this does
  /// \throws std::runtime_error, one line, when the library refuses
  OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                std::int32_t* c, int threads = 1);

  /// The same with a and b in bf16.
  OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const std::uint16_t* a, const std::uint16_t* b, float* c,
                int threads = 1);

  /// Multiplies, on the threads of OpenMP. \throws std::runtime_error
  void run() const;

  /// Which of its kernels the library took: "brg:avx512_core_vnni", say; "gemm:jit" and "ref:any" are slow ones.
  const std::string& implementation() const { return implementation_; }

 private:
  struct Types {
    int a, b, c;
  };
  OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const Types& types, const void* a, const void* b, void* c,
                int threads);

  int threads_;
  std::shared_ptr<void> engine_, stream_, a_, b_, c_, product_;
  std::string implementation_;
};

}  // namespace hf
