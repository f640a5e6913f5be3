#include "06-precision/bench/avx2_runs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "04-tpu/kernels/int8_gemm.hpp"
#include "common/random.hpp"
#include "harness/keep.hpp"
#include "harness/machine.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::precision {
namespace {

constexpr std::size_t n = 512;
constexpr std::int64_t peak_iterations = 20000;

const tpu::Int8Kernel* int8_on_avx2(const Machine& machine) {
  for (const tpu::Int8Kernel* kernel : tpu::int8_kernels(machine)) {
    if (std::string_view(kernel->name) == "AVX2") return kernel;
  }
  return nullptr;
}

/// FMAs in fp32 on all lanes.
const roofline::PeakLoop* fp32_on_avx2(const Machine& machine) {
  for (const roofline::KernelSet* set : roofline::kernel_sets(machine)) {
    if (std::string_view(set->name) != "AVX2") continue;
    const roofline::PeakLoop* fastest = nullptr;
    for (const roofline::PeakLoop& loop : set->peaks) {
      if (loop.run == nullptr || loop.fp64) continue;
      if (fastest == nullptr || loop.flops > fastest->flops) fastest = &loop;
    }
    return fastest;
  }
  return nullptr;
}

}  // namespace

std::optional<Estimate> int8_over_fp32_on_avx2(const Machine& machine, const Plan& plan) {
  const tpu::Int8Kernel* const kernel = int8_on_avx2(machine);
  const roofline::PeakLoop* const fp32 = fp32_on_avx2(machine);
  if (kernel == nullptr || fp32 == nullptr) return std::nullopt;
  const auto a = random_bytes<std::uint8_t>(n * n, 1);
  const auto b = random_bytes<std::int8_t>(n * n, 2);
  std::vector<std::int32_t> c(n * n);
  const tpu::PackedInt8 weights(*kernel, n, n, b.data());
  const auto multiply = [&] { weights.multiply(n, a.data(), c.data()); };
  multiply();
  std::int64_t last = 0;
  for (std::size_t p = 0; p < n; ++p) last += std::int64_t{a[(n - 1) * n + p]} * b[p * n + n - 1];
  if (c.back() != last) throw std::runtime_error("the int8 product on AVX2 is wrong; nothing was timed");
  const Sampling sampling = sample_interleaved(
      {timed("int8", multiply), timed("fp32", [&] { keep(fp32->run(peak_iterations, 0.5, 1)); })}, plan);
  const double operations = 2.0 * n * n * n, peak_operations = fp32->flops * peak_iterations;
  return times(sampling.ratio("fp32", "int8"), operations / peak_operations);
}

}  // namespace hf::precision
