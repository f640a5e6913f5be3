#include "peaks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/machine/machine.hpp"
#include "keep.hpp"
#include "memory.hpp"
#include "sampling.hpp"
#include "shared_array.hpp"
#include "statistics.hpp"
#include "steady_memory.hpp"
#include "threads.hpp"

namespace hf {
namespace {

// Before inlining, the compiler splits each vector operation to fit the instruction set of the function it is in. So
// each set needs a function with its own copy of the body: hence a macro. Latency times units is at most 16 in today's
// cores, so that many independent chains keep the units busy, if there are enough registers. Both loops over the chains
// are unrolled; otherwise the chains would be in memory.
#define HF_FMA_LOOP(name, bytes, chains, attribute)                                          \
  template <class Number>                                                                    \
  attribute void name(std::int64_t iterations) {                                             \
    typedef Number Vector __attribute__((vector_size(bytes)));                               \
    Vector x[chains], factor = Vector{} + Number(0.5), addend = Vector{} + Number(1);        \
    _Pragma("GCC unroll 24") for (int chain = 0; chain < chains; ++chain) x[chain] = addend; \
    HF_OPAQUE(factor);                                                                       \
    HF_OPAQUE(addend);                                                                       \
    for (std::int64_t i = 0; i < iterations; ++i) {                                          \
      _Pragma("GCC unroll 24") for (int chain = 0; chain < chains; ++chain) {                \
        x[chain] = x[chain] * factor + addend;                                               \
        HF_OPAQUE(x[chain]);                                                                 \
      }                                                                                      \
    }                                                                                        \
  }

#if defined(__x86_64__)
HF_FMA_LOOP(fma_avx512, 64, 24, __attribute__((target("avx512f"))))
HF_FMA_LOOP(fma_avx2, 32, 12, __attribute__((target("avx2,fma"))))
HF_FMA_LOOP(multiply_add, 16, 12, )

template <class Number>
FmaLoop widest_loop() {
  const auto loop = [](int bytes, int chains, void (*run)(std::int64_t)) {
    return FmaLoop{2.0 * chains * bytes / sizeof(Number), run};
  };
  const std::vector<std::string> isa = probe_isa();
  const auto has = [&](const char* name) { return std::find(isa.begin(), isa.end(), name) != isa.end(); };
  if (has("avx512f")) return loop(64, 24, fma_avx512<Number>);
  if (has("avx2") && has("fma")) return loop(32, 12, fma_avx2<Number>);
  return loop(16, 12, multiply_add<Number>);
}
#else
HF_FMA_LOOP(multiply_add, 16, 24, )

template <class Number>
FmaLoop widest_loop() {
  return {2.0 * 24 * 16 / sizeof(Number), multiply_add<Number>};
}
#endif

/// 32 additions per iteration, each waiting for the previous one.
void dependent_additions(std::int64_t iterations) {
  std::uint64_t sum = 0, addend = 1;
  asm volatile("" : "+r"(sum), "+r"(addend));
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 32
    for (int k = 0; k < 32; ++k) {
#if defined(__x86_64__)
      asm volatile("add %1, %0" : "+r"(sum) : "r"(addend));
#elif defined(__aarch64__)
      asm volatile("add %0, %0, %1" : "+r"(sum) : "r"(addend));
#else
      sum += addend;
      asm volatile("" : "+r"(sum));
#endif
    }
  }
}

Variant read_variant(const SharedArray& array, Team& team) {
  return timed("read", team, [&array](int thread) { read_words(array.part(thread)); });
}

}  // namespace

FmaLoop widest_fma_loop(Precision precision) {
  return precision == Precision::fp32 ? widest_loop<float>() : widest_loop<double>();
}

PeakVariant peak_variant(Precision precision, Team& team) {
  const FmaLoop loop = widest_fma_loop(precision);
  return {timed("peak", team, [loop](int) { loop.run(fma_iterations); }),
          loop.flops_per_iteration * fma_iterations * team.size()};
}

Estimate PeakVariant::gflops(const Estimate& seconds) const { return rate(flops, seconds); }

Estimate peak_gflops(Precision precision, Team& team, const Plan& plan) {
  const PeakVariant loop = peak_variant(precision, team);
  return loop.gflops(sample(loop.variant, plan));
}

Estimate clock_ghz(const Plan& plan) {
  const Estimate seconds = sample(timed("clock", [] { dependent_additions(fma_iterations); }), plan);
  return rate(32.0 * fma_iterations, seconds);
}

Estimate dram_read_gbs(Team& team, const Plan& plan, std::size_t bytes) {
  const SharedArray array(team, bytes > 0 ? bytes : default_dram_bytes());
  const Estimate seconds = sample(read_variant(array, team), plan);
  return rate(array.bytes(team), seconds);
}

double machine_noise_floor(const Plan& plan, const SteadyMemory& memory) {
  Team one(1);
  const FmaLoop loop = widest_loop<float>();
  const double arithmetic = noise_floor(timed("fma", one, [&](int) { loop.run(fma_iterations); }), plan);
  const std::size_t bytes = std::min<std::size_t>(std::size_t{64} << 20, available_memory_bytes() / 4);
  const SharedArray array(one, bytes);
  return std::max(arithmetic, noise_floor(read_variant(array, one), memory.memory_bound(plan)));
}

}  // namespace hf
