/// \file
/// Runs kernels on the emulator: each thread of a block as a fiber, warp after warp, from one barrier to the next.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hf::emulator {

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr unsigned count() const { return x * y * z; }
};

/// The running thread, with its warp and block.
struct Here {
  dim3 thread, block, block_size, grid_size;
};
extern Here here;

/// A kernel with its arguments, and the bytes of dynamic shared memory that each of its blocks gets.
struct Kernel {
  const void* closure;
  std::size_t bytes;
  void (*run)(const void* closure);
  std::size_t dynamic_bytes;
};

/// Runs a kernel once for each thread. \throws KernelFault, after the launch, or at once if a thread cannot continue
void launch(dim3 grid, dim3 block, const Kernel& kernel);

template <class Closure>
void launch(dim3 grid, dim3 block, std::size_t dynamic_bytes, const Closure& closure) {
  const auto run = [](const void* c) { (*static_cast<const Closure*>(c))(); };
  launch(grid, block, Kernel{&closure, sizeof closure, run, dynamic_bytes});
}

/// Dynamic shared memory; the launch's bytes of it belong to the block.
std::byte* dynamic_shared();

/// A barrier for all threads of the block that have not ended. As on GPUs since compute capability 7.0, those that have
/// ended are not waited for; the others must all be at the same line.
void meet_block();

/// Some lanes of a warp, one bit each.
using Lanes = std::uint64_t;

/// A barrier for those of these lanes that have not ended. The calling thread must be one of them. It is taken to order the
/// accesses of all lanes of the warp.
void meet_warp(Lanes lanes);
/// Lanes that meet exchange 64 bits, or their votes; this orders no accesses to memory.
std::uint64_t exchange(Lanes lanes, std::uint64_t mine, unsigned from_lane);
Lanes vote(Lanes lanes, bool mine);
unsigned lane();  ///< of the running thread

/// An access of an atomic function: reads, or writes what it has made of it.
void begin_change(const void* at, void* before, std::size_t bytes);
void end_change(void* at, const void* after, std::size_t bytes);

/// Copies 4, 8 or 16 bytes from global to shared memory without the thread: the first `from_bytes` of them; the others are
/// zeros. They arrive as late as possible, when their thread waits for them, but are counted here, and may overwrite from
/// here on what other threads still read.
void begin_copy(void* to, const void* from, std::size_t bytes, std::size_t from_bytes);
void end_copy_group();                       ///< The copies since the last call are a group.
void wait_for_copy_groups(unsigned except);  ///< for all groups but the last few
void wait_for_all_copies();

}  // namespace hf::emulator
