#include "02-matmul/kernels/rungs.hpp"

#include <cstddef>
#include <iterator>
#include <vector>

#include "02-matmul/kernels/rung_loops.hpp"
#include "02-matmul/kernels/traced_pointer.hpp"
#include "kit/cache_simulator.hpp"

namespace hf::matmul {
namespace {

constexpr auto& timed_rows = ladder<const float*, float*>;
constexpr auto& traced_rows = ladder<TracedPointer, TracedPointer>;

/// The values that are multiplied do not affect which addresses are visited.
Traffic trace(std::size_t rung, std::size_t m, std::size_t n, std::size_t k, CacheSimulator caches) {
  std::vector<float> a(m * k), b(k * n), c(m * n);
  const auto traced = [&](std::vector<float>& array) {
    return TracedPointer(array.data(), caches.place(array.size() * sizeof(float)), caches);
  };
  const TracedPointer traced_a = traced(a), traced_b = traced(b), traced_c = traced(c);
  traced_rows[rung].multiply(m, n, k, traced_a, traced_b, traced_c);
  caches.flush();
  return caches.traffic();
}

}  // namespace

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> all = [] {
    std::vector<Rung> rungs;
    for (std::size_t i = 0; i < std::size(timed_rows); ++i) {
      const auto& [id, label, multiply, rows_alike] = timed_rows[i];
      rungs.push_back({id, label, multiply, rows_alike,
                       [i](std::size_t m, std::size_t n, std::size_t k, const CacheSimulator& caches) {
                         return trace(i, m, n, k, caches);
                       }});
    }
    return rungs;
  }();
  return all;
}

}  // namespace hf::matmul
