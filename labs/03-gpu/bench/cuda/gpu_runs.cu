#include "03-gpu/bench/cuda/gpu_runs.hpp"

#include <cmath>

#include "03-gpu/bench/cuda/device_steps.hpp"
#include "common/cuda/device.cuh"

namespace hf::gpu {
namespace {

/// Asked only whether this device can run what was compiled.
__global__ void probe() {}

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
  const cuda::Device device = cuda::this_device();
  for (const auto& part : {memory_steps(device), execution_steps(device), peak_steps(device), gpu_matmul_steps(device)})
    steps.insert(steps.end(), part.begin(), part.end());
  for (Step& step : steps) step.may_fail = true;  // a kernel that is wrong, say, does not take the others along
  return steps;
}

}  // namespace hf::gpu
