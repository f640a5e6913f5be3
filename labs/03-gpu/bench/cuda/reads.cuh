/// \file
/// Reading an array in order, checked: beside other kernels it measures what memory, or L2, delivers at most.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "03-gpu/kernels/cuda/access.cuh"
#include "03-gpu/kernels/cuda/read.cuh"
#include "kit/cuda/device.cuh"

namespace hf::gpu {

/// Returns `times` times the L2 cache, rounded up to a power of two, so that little of it can be cached; at most 1/8 of
/// the memory.
inline std::size_t beyond_l2(const cuda::Device& device, std::size_t times) {
  constexpr std::size_t least = std::size_t{64} << 20;
  return std::bit_floor(std::min(std::bit_ceil(std::max(times * device.l2_bytes, least)), device.memory_bytes / 8));
}

/// An array of random words that all multiprocessors read together.
class Reads {
 public:
  Reads(const cuda::Device& device, std::size_t bytes)
      : tiles_(static_cast<unsigned>(bytes / (read_tile * sizeof(uint4)))),
        blocks_(static_cast<unsigned>(8 * device.multiprocessors)),
        words_(std::size_t{tiles_} * read_tile),
        sums_(std::size_t{blocks_} * read_threads) {
    fill_words<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(words_.data()), count());
    cuda::finish("fill_words");
  }

  double bytes() const { return static_cast<double>(count() * sizeof(std::uint32_t)); }
  void run(unsigned times) { read_words<<<blocks_, read_threads>>>(words_.data(), tiles_, times, sums_.data()); }

  /// \throws std::runtime_error if not every word has been read as often as it should
  void check(unsigned times) {
    sums_.poison();
    run(times);
    cuda::finish("read_words");
    std::uint32_t sum = 0, once = 0;
    for (const std::uint32_t each : sums_.to_host()) sum += each;
    for (std::size_t i = 0; i < count(); ++i) once += input_word(i);
    cuda::expect(sum == times * once, "read_words");
  }

 private:
  std::size_t count() const { return words_.size() * 4; }

  unsigned tiles_, blocks_;
  cuda::DeviceArray<uint4> words_;
  cuda::DeviceArray<std::uint32_t> sums_;
};

}  // namespace hf::gpu
