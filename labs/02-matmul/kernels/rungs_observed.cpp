#include <cstddef>
#include <span>

#include "02-matmul/kernels/rungs.hpp"
#include "harness/measure/vector.hpp"

namespace hf::matmul {
namespace {

// No compiler observes all vectors, so these take the place of hf::load() and hf::store(): they move one number after the
// other. volatile keeps a compiler from putting them together.
inline Floats load(const volatile float* from) {
  Floats v = {};
  for (std::size_t lane = 0; lane < lanes; ++lane) v[lane] = from[lane];
  return v;
}
inline void store(volatile float* to, Floats v) {
  for (std::size_t lane = 0; lane < lanes; ++lane) to[lane] = v[lane];
}

}  // namespace
}  // namespace hf::matmul

#include "02-matmul/kernels/rung_loops.hpp"

namespace hf::matmul {

std::span<const Rung> observed_rungs() { return ladder; }

}  // namespace hf::matmul
