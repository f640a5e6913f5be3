/// \file
/// Runs kernels on the emulator: each thread of a block as a fiber, warp after warp, from one barrier to the next.
#pragma once

#include <cstddef>

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

/// A kernel with its arguments.
struct Kernel {
  const void* closure;
  std::size_t bytes;
  void (*run)(const void* closure);
};

/// Runs a kernel once for each thread. \throws KernelFault, after the launch
void launch(dim3 grid, dim3 block, const Kernel& kernel);

template <class Closure>
void launch(dim3 grid, dim3 block, const Closure& closure) {
  launch(grid, block, Kernel{&closure, sizeof closure, [](const void* c) { (*static_cast<const Closure*>(c))(); }});
}

/// A barrier for all threads of the block, or of the warp, that have not ended.
void meet_block();
void meet_warp();

/// Sixteen bytes being copied from global to shared memory; zeros if there is no source.
struct LateCopy {
  float* to;
  const float* from;
};
void begin_copy(LateCopy copy);  ///< of this thread
bool has_copies();
LateCopy take_copy();  ///< the oldest. \pre has_copies()

}  // namespace hf::emulator
