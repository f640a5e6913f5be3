// Makes a library of a reader's kernel, which tools/yours includes before this file.
#ifndef HF_YOURS
#include "03-gpu/yours/cuda.hpp"
// The kernel needs the words of CUDA before it.
#include "03-gpu/yours/start.cpp"  // NOLINT: a compiler that is asked about this file alone needs some kernel
#endif

#ifndef HF_LAUNCH  // the emulator's words are absent: this is nvcc
#define HF_LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#endif

static_assert(threads_x > 0 && threads_y > 0 && threads_x * threads_y <= 1024, "a block has 1 to 1024 threads");
static_assert(tile_x > 0 && tile_y > 0, "a tile has at least one number");

extern "C" void launch_transpose(int rows, int columns, const float* from, float* to) {
  const auto tiles = [](int numbers, int tile) { return static_cast<unsigned>((numbers + tile - 1) / tile); };
  const dim3 grid(tiles(columns, tile_x), tiles(rows, tile_y)), block(threads_x, threads_y);
  HF_LAUNCH(transpose, grid, block, rows, columns, from, to);
}
