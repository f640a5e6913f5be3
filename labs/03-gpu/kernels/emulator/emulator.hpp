/// \file
/// An emulated GPU: runs a CUDA kernel's own source on the processor, sees each load and store of each thread, and
/// counts the resulting requests to the memory system, as a profiler does on a device. It does not simulate time.
///
/// A kernel is compiled with the instrumentation of the thread sanitizer, which calls a function at each access, and
/// linked with our functions instead of the sanitizer's. Local variables are not counted, like registers on a GPU. For
/// a kernel that runs on both, see cuda_words.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace hf::emulator {

constexpr unsigned warp_threads = 32;
constexpr unsigned sector_bytes = 32, line_bytes = 128;  ///< of global memory and its caches

/// The requests of a launch's warps. A request is one instruction of one warp. Loads of consecutive, aligned words in
/// shared memory count as one wide load, because compilers merge them.
struct Counts {
  struct Global {
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0, lines = 0;  ///< the different ones within a request
  };
  struct Shared {
    std::uint64_t requests = 0;
    std::uint64_t wavefronts = 0;  ///< the number of steps in which the banks serve them
  };
  Global global_loads, global_stores;
  Shared shared_loads, shared_stores;
  std::uint64_t block_sectors = 0;     ///< of global memory, different within a block: a perfect L1 would fetch them
  std::uint64_t partial_requests = 0;  ///< by some threads of a warp while others were still elsewhere
  std::uint64_t barriers = 0;          ///< of a block
  /// Pieces of code without a branch, as compiled, counted each time a warp runs through one, whole or in part.
  std::uint64_t basic_blocks = 0;
  std::uint64_t diverging_branches = 0;  ///< after which threads of a warp continued in different basic blocks
};

/// A kernel's error: it accessed memory outside of its arrays, read unwritten memory, or raced. what() is one line that
/// names the file and the line.
struct KernelFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Memory for kernels, far from all other memory. \throws std::bad_alloc
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

/// An array in global memory, unwritten at first, or written by the host.
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
