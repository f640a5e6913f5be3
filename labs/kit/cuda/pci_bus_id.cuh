/// \file
/// The place of a CUDA device on the PCI bus.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "kit/cuda/device.cuh"

namespace hf::cuda {

/// Of the current device: NVML finds it by this.
inline std::string pci_bus_id() {
  int device = 0;
  char id[32] = "";
  HF_CUDA(cudaGetDevice(&device));
  HF_CUDA(cudaDeviceGetPCIBusId(id, sizeof id, device));
  return id;
}

}  // namespace hf::cuda
