#include "02-matmul/kernels/rungs.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include "02-matmul/kernels/rung_loops.hpp"
#include "02-matmul/kernels/traced_pointer.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/cache_simulator.hpp"

namespace hf::matmul {
namespace {

using Pointers = void(std::size_t, std::size_t, std::size_t, TracedPointer, TracedPointer, TracedPointer);

/// The values that are multiplied do not affect which addresses are visited.
template <Pointers* multiply>
Traffic trace(std::size_t m, std::size_t n, std::size_t k, CacheSimulator caches) {
  std::vector<float> a(m * k), b(k * n), c(m * n);
  const auto traced = [&](std::vector<float>& array) {
    return TracedPointer(array.data(), caches.place(array.size() * sizeof(float)), caches);
  };
  const TracedPointer traced_a = traced(a), traced_b = traced(b), traced_c = traced(c);
  multiply(m, n, k, traced_a, traced_b, traced_c);
  caches.flush();
  return caches.traffic();
}

/// A new row is timed, checked, traced and drawn; figures/02-ladder.gp may give it a look.
constexpr Rung ladder[] = {
    {"naive", shown_as("naive"), naive_product<const float*, float*>, true,
     trace<naive_product<TracedPointer, TracedPointer>>},
    {"loop_order", shown_as("loop order"), reordered_product<const float*, float*>, true,
     trace<reordered_product<TracedPointer, TracedPointer>>},
    {"blocked", shown_as("blocking"), blocked_product<const float*, float*>, false,
     trace<blocked_product<TracedPointer, TracedPointer>>},
    {"register_tile", shown_as("register tile"), tiled_product<const float*, float*>, false,
     trace<tiled_product<TracedPointer, TracedPointer>>},
    {"packed", shown_as("packing"), packed_product<const float*, float*>, false,
     trace<packed_product<TracedPointer, TracedPointer>>},
};

}  // namespace

std::span<const Rung> rungs() { return ladder; }

}  // namespace hf::matmul
