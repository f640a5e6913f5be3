/// \file
/// oneDNN's matrix product of narrow numbers, if the library is installed: the peer for int8 and bf16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace hf {

/// True if oneDNN 3 is in the system's library folders or in LD_LIBRARY_PATH. The interfaces of other versions are not
/// supported.
bool has_onednn();

/// "oneDNN 3.2.0"; "oneDNN none" if it is not installed. Starts a process: call it before starting threads.
std::string onednn_name();

/// c = a · b by oneDNN's matmul primitive: a (m, k), b (k, n) and c (m, n) row-major without gaps. b is copied once
/// into the layout that the library chooses, as is usual for a model's weights; a is used as it is. The library
/// generates machine code for this shape and one thread. A library with threads of its own keeps them on the core that the
/// first product was made on; making one may unpin the calling thread.
class OneDnnProduct {
 public:
  /// \pre has_onednn(); m, n, k at least 1; a and c outlive this object
  /// \throws std::runtime_error, one line, if the library refuses
  OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                std::int32_t* c);

  /// The same, with a and b in bf16.
  OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const std::uint16_t* a, const std::uint16_t* b, float* c);

  /// Multiplies, on one thread. \throws std::runtime_error
  void run() const;

  /// The kernel that the library chose: for example "brg:avx512_core_vnni"; "gemm:jit" and "ref:any" are slow ones.
  const std::string& implementation() const { return implementation_; }

 private:
  struct Types {
    int a, b, c;
  };
  OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const Types& types, const void* a, const void* b, void* c);

  std::shared_ptr<void> engine_, stream_, a_, b_, c_, product_;
  std::string implementation_;
};

}  // namespace hf
