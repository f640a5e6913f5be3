#include "has_device.hpp"

#include <cuda_runtime.h>

namespace hf::gpu {

bool device_answers() {
  int devices = 0;
  const bool answers = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  cudaGetLastError();  // or the first launch reports it
  return answers;
}

}  // namespace hf::gpu
