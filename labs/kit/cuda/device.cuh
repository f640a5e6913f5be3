/// \file
/// A CUDA device and its memory, for kernels whose results are checked.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace hf::cuda {

/// Checks a call of the CUDA runtime; all calls use it. \throws std::runtime_error naming what failed and why
inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}
#define HF_CUDA(call) ::hf::cuda::check((call), #call)

/// The device properties that a measurement needs.
struct Device {
  std::string name;
  int capability;  ///< compute capability, 90 for 9.0
  int multiprocessors;
  int warps;  ///< resident on each multiprocessor
  std::size_t l2_bytes, memory_bytes;
  std::size_t shared_bytes;  ///< shared memory that a block can request
};

/// The current device.
inline Device this_device() {
  int index = 0;
  cudaDeviceProp properties;
  HF_CUDA(cudaGetDevice(&index));
  HF_CUDA(cudaGetDeviceProperties(&properties, index));
  return {properties.name,
          10 * properties.major + properties.minor,
          properties.multiProcessorCount,
          properties.maxThreadsPerMultiProcessor / properties.warpSize,
          static_cast<std::size_t>(properties.l2CacheSize),
          properties.totalGlobalMem,
          properties.sharedMemPerBlockOptin};
}

/// An array in the device's memory. Its bytes start as 0xff, which are NaN, so that no kernel can rely on them.
template <class Number>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    HF_CUDA(cudaMalloc(&data_, size * sizeof(Number)));
    poison();
  }
  explicit DeviceArray(const std::vector<Number>& from) : DeviceArray(from.size()) {
    HF_CUDA(cudaMemcpy(data_, from.data(), size_ * sizeof(Number), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  /// Fills the array with NaN. Call it before every checked run, so that a kernel that writes nothing fails the check.
  void poison() { HF_CUDA(cudaMemset(data_, 0xff, size_ * sizeof(Number))); }

  std::vector<Number> to_host() const {
    std::vector<Number> host(size_);
    HF_CUDA(cudaMemcpy(host.data(), data_, size_ * sizeof(Number), cudaMemcpyDeviceToHost));
    return host;
  }
  Number* data() { return data_; }
  const Number* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Number* data_ = nullptr;
  std::size_t size_;
};

/// Waits for a launched kernel. \throws std::runtime_error if it failed
inline void finish(const char* kernel) {
  check(cudaGetLastError(), kernel);
  check(cudaDeviceSynchronize(), kernel);
}

/// Called before a kernel is timed. \throws std::runtime_error if its result differs from its reference
inline void expect(bool right, const std::string& kernel) {
  if (!right) throw std::runtime_error(kernel + " does not compute what its reference does");
}

}  // namespace hf::cuda
