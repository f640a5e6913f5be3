/// \file
/// A GPU without a GPU: runs a CUDA kernel's own source on the processor, sees each load and store of each thread, and counts
/// what they ask of the memory system, as a profiler does on a device. It has no clock, so it tells no times.
///
/// A kernel is compiled with the instrumentation of the thread sanitizer, which calls a function at each access, and linked
/// with functions of ours instead of the sanitizer's. Local variables are not counted, as registers aren't on a GPU. How a
/// kernel is written for both: cuda_words.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace hf::emulator {

constexpr unsigned warp_threads = 32;
constexpr unsigned sector_bytes = 32, line_bytes = 128;  ///< of global memory and its caches

/// What the warps of a launch requested. A request is one instruction of one warp. Loads
/// of neighbours in shared memory, one after the other and aligned, count as the one wide load that compilers make of them.
struct Counts {
  struct Global {
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0, lines = 0;  ///< that differ within a request
  };
  struct Shared {
    std::uint64_t requests = 0;
    std::uint64_t wavefronts = 0;  ///< in how many steps the banks answer
  };
  Global global_loads, global_stores;
  Shared shared_loads, shared_stores;
  std::uint64_t block_sectors = 0;     ///< of global memory that differ within a block: what a perfect L1 would fetch
  std::uint64_t partial_requests = 0;  ///< made by some threads of a warp while others still ran elsewhere
  std::uint64_t barriers = 0;          ///< at which a block met
  /// What the compiler makes one piece of code without a branch, counted each time a warp goes through it, whole or in part.
  std::uint64_t basic_blocks = 0;
  std::uint64_t diverging_branches = 0;  ///< behind which threads of a warp went on to different basic blocks
};

/// A kernel did what it must not: it read or wrote outside of its arrays, read what nobody wrote, or raced. what() is one line
/// that names the file and the line.
struct KernelFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Bytes that kernels may use, far from all others. \throws std::bad_alloc
class GlobalMemory {
 public:
  explicit GlobalMemory(std::size_t bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  std::byte* data() const { return data_; }
  void mark_written() const;  ///< by the host

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// An array in global memory; nobody has written to it yet, or the host has.
template <class T>
class GlobalArray {
 public:
  explicit GlobalArray(std::size_t count) : memory_(count * sizeof(T)), count_(count) {}
  explicit GlobalArray(const std::vector<T>& numbers) : GlobalArray(numbers.size()) {
    std::memcpy(memory_.data(), numbers.data(), count_ * sizeof(T));
    memory_.mark_written();
  }

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  std::vector<T> to_host() const { return std::vector<T>(data(), data() + count_); }

 private:
  GlobalMemory memory_;
  std::size_t count_;
};

/// The counts since the last call.
Counts take_counts();

}  // namespace hf::emulator
