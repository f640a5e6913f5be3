/// \file
/// The libraries that gemm() is measured against, those of them that this machine has.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hf::matmul {

/// Somebody else's matrix product: c = a · b as gemm() has it.
struct Peer {
  std::string id;    ///< "openblas"
  std::string name;  ///< "OpenBLAS 0.3.21 (SkylakeX)"
  std::function<void(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c)> multiply;
  std::function<void(int threads)> set_threads;  ///< empty where it has only one
  std::size_t largest;                           ///< of m, n and k, that it is made for
  bool own_threads = false;                      ///< apart from those of OpenMP
};

/// OpenBLAS on the core type that is fastest here, a second, newer OpenBLAS (scipy-openblas32), oneDNN, MKL and libxsmm. All but
/// libxsmm, which is linked where the build found it, are looked for where the system keeps its libraries and in
/// LD_LIBRARY_PATH. To be called before threads are started.
std::vector<Peer> find_peers();

}  // namespace hf::matmul
