/// \file
/// An emulated GPU: runs a CUDA kernel's own source on the processor, sees each load and store of each thread, and
/// counts the resulting requests to the memory system, as a profiler does on a device. It does not simulate time.
///
/// A kernel is compiled with the instrumentation of the thread sanitizer, which calls a function at each access, and
/// linked with our functions instead of the sanitizer's. For a kernel that runs on both, see cuda_words.hpp.
///
/// Not counted: registers, issue slots, exchanges between the lanes of a warp, and the variables of a thread. A GPU keeps
/// these in registers, but moves an array with run-time indices to memory; the instrumentation does not show its accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace hf::emulator {

constexpr unsigned warp_threads = 32;                    ///< AMD's have 64
constexpr unsigned sector_bytes = 32, line_bytes = 128;  ///< of global memory and its caches

/// The requests of a launch's warps. A request is one instruction of one warp. Loads of adjacent, aligned words in shared
/// memory count as one wide load, and stores as one wide store, because compilers merge them.
struct Counts {
  struct Global {
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0, lines = 0;  ///< the different ones within a request
  };
  struct Shared {
    std::uint64_t requests = 0;
    std::uint64_t wavefronts = 0;  ///< the number of steps in which the banks serve them
  };
  struct Atomic {
    std::uint64_t requests = 0;
    std::uint64_t turns = 0;  ///< the steps in which threads of a warp change one word, or words in one bank
  };
  Global global_loads, global_stores;
  Shared shared_loads, shared_stores;
  Atomic global_atomics, shared_atomics;
  std::uint64_t block_sectors = 0;     ///< of global memory, different within a block: a perfect L1 would fetch them
  std::uint64_t partial_requests = 0;  ///< by some threads of a warp while others were still elsewhere
  std::uint64_t barriers = 0;          ///< of a block
  /// Pieces of code without a branch, as compiled, counted each time a warp runs through one, whole or in part.
  std::uint64_t basic_blocks = 0;
  std::uint64_t diverging_branches = 0;  ///< after which threads of a warp continued in different basic blocks
};

/// A kernel's error: it accessed memory outside of its arrays, read unwritten memory, raced, or did not meet. what() is
/// one line that names the file, the line and, often, a remedy.
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
