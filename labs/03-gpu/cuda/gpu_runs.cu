#include "03-gpu/cuda/gpu_runs.hpp"

#include <cmath>

#include "03-gpu/cuda/execution_runs.hpp"
#include "03-gpu/cuda/matmul_runs.hpp"
#include "03-gpu/cuda/memory_runs.hpp"
#include "03-gpu/cuda/peak_runs.hpp"
#include "common/cuda/device.cuh"

namespace hf::gpu {
namespace {

/// Asked only whether this device can run what was compiled.
__global__ void probe() {}

void decide_claims(Lab& lab) {
  const auto claim = [&](const char* id, const char* text, const char* value, const char* bound) {
    lab.add(Claim(id, text, lab.value(value), bound));
  };
  claim("gpu-little-holds",
        "The latency of one load alone, times the bandwidth of a full device, gives the bytes in flight at the knee of "
        "the curve within 15 %.",
        "gpu_little_error", "<= 0.15");
  claim("coalescing-matters",
        "Threads whose words lie side by side get at least four times the useful bandwidth of threads whose words lie "
        "32 words apart.",
        "gpu_coalescing_gain", ">= 4");
  claim("bank-conflicts-queue",
        "When all 32 threads of a warp ask one bank for different words, a load takes at least sixteen times as long.",
        "gpu_bank_conflict_cost", ">= 16");
  claim("divergence-costs-on-gpu",
        "Two ways that divide every warp take at least one and a half times as long as the same two ways that divide "
        "whole warps.",
        "divergence_gpu_gain", ">= 1.5");
  claim("graphs-launch-faster",
        "Starting many small kernels takes at least 1.2 times as long one by one as in a graph.", "gpu_graph_gain",
        ">= 1.2");
}

}  // namespace

std::string gpu_unavailable() {
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted != cudaSuccess) return std::string("no CUDA device answers: ") + cudaGetErrorString(counted);
  if (devices == 0) return "there is no CUDA device";
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, probe) != cudaSuccess) {
    return "this program was not compiled for this GPU: " + cuda::this_device().name +
           "; configure the build again on this machine";
  }
  return "";
}

std::vector<Step> gpu_steps() {
  std::vector<Step> steps;
  if (!gpu_unavailable().empty()) return steps;
  for (const auto& part : {memory_steps(), execution_steps(), peak_steps(), gpu_matmul_steps()})
    steps.insert(steps.end(), part.begin(), part.end());
  return steps;
}

void measure_gpu(Lab& lab) {
  if (const std::string why = gpu_unavailable(); !why.empty()) return lab.note("no GPU was measured: " + why);
  const cuda::Device device = cuda::this_device();
  measure_memory(lab, device);
  measure_execution(lab, device);
  measure_peaks(lab, device);
  measure_gpu_matmul(lab);
  decide_claims(lab);
}

}  // namespace hf::gpu
