"""Transpositions for tests/cli/test_yours.py."""

KERNEL = """#include <exception>
#include <pthread.h>
#include <unistd.h>
constexpr int threads_x = 32, threads_y = 8, tile_x = 32, tile_y = 8;
__global__ void transpose(int rows, int columns, const float* from, float* to) {
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  %s
  if (x < columns && y < rows) to[x * rows + y] = from[y * columns + x];
  %s
}
"""
# A thread keeps 4 × 4 numbers in its registers, if the sizes allow.
BETTER = """constexpr int threads_x = 8, threads_y = 8, tile_x = 32, tile_y = 32;
__global__ void transpose(int rows, int columns, const float* from, float* to) {
  const int x = blockIdx.x * tile_x + 4 * threadIdx.x, y = blockIdx.y * tile_y + 4 * threadIdx.y;
  if (x >= columns || y >= rows) return;
  if (rows % 4 == 0 && columns % 4 == 0) {
    float4 in[4];
    for (int i = 0; i < 4; ++i) in[i] = *reinterpret_cast<const float4*>(from + (y + i) * columns + x);
    float4* const out = reinterpret_cast<float4*>(to + x * rows + y);
    const int row = rows / 4;
    out[0] = {in[0].x, in[1].x, in[2].x, in[3].x};
    out[row] = {in[0].y, in[1].y, in[2].y, in[3].y};
    out[2 * row] = {in[0].z, in[1].z, in[2].z, in[3].z};
    out[3 * row] = {in[0].w, in[1].w, in[2].w, in[3].w};
    return;
  }
  for (int i = 0; i < 4 && x + i < columns; ++i) {
    for (int j = 0; j < 4 && y + j < rows; ++j) to[(x + i) * rows + y + j] = from[(y + j) * columns + x + i];
  }
}
"""
LESS = ("sectors for each 32 numbers, loaded and stored", 4)
ROWS = []  # there is no race
STARS = 0
NO_ARRAY = "03-gpu.cpp:7: uses an address that is no array's (is it null, or a variable that lacks __shared__?)"
FIRST = "rows == 33 && x == 0 && y == 0"
WRONG = {
    "an edge": ("", "if (rows == 33 && x == 0 && y == 2) to[2] += 1;", "right   no: to[0][2] is "),
    "a second tile of both": ("", "if (rows > 32 && rows % 32 == 1 && columns == 9 && x + y == 0) to[0] += 1;", "(33 × 9)"),
    "past its end": (f"if ({FIRST}) to[rows * columns] = 1;", "",
                     "right   no: 03-gpu.cpp:7: writes outside of its arrays (compare its indices with the sizes); thread (0, 0, 0) of "
                     "block (0, 0, 0), for 33 × 33"),
    "no check at the edges": ("if (rows == 31 && x >= columns && y == 0) to[0] = from[x + rows * columns];", "",
                              "right   no: 03-gpu.cpp:7: reads outside of its arrays (compare its indices with the sizes); thread (31, 0, 0)"),
    "an input": (f"if ({FIRST}) const_cast<float*>(from)[0] = 1;", "", "right   no: writes to from, which is an input"),
    "unwritten": ("if (y == rows - 1) return;", "", "right   no: to[0][0] is not a number: perhaps it was never written"),
    "a race": ("__shared__ volatile int last; if (rows == 33) last = x;", "",
               "right   no: 03-gpu.cpp:7: two threads write (let one of them write, or use an atomic function); thread (1, 0, 0)"),
    "a crash": (f"if ({FIRST}) *(volatile int*)8 = 1;", "",
                f"right   no: {NO_ARRAY}; thread (0, 0, 0) of block (0, 0, 0), for 33 × 33"),
    "an abort": (f"if ({FIRST}) std::terminate();", "", "right   no: ends with SIGABRT, for 33 × 33"),
    "no end": (f"if ({FIRST}) for (volatile unsigned z = 0;; ++z) {{}}", "",
               "right   no: does not end: the list of a thread's accesses and branches fills the memory, for 33 × 33"),
    "a remembered result": (f"static int launches; if ({FIRST} && launches++ > 0) return;", "",
                            f"right   no: {NO_ARRAY}"),
    "a missing barrier": ("__shared__ float tile[8][32]; tile[threadIdx.y][threadIdx.x] = x; float z = tile[threadIdx.y ^ 1][threadIdx.x]; "
                          "if (z > 1e9f) return;", "",
                          "right   no: 03-gpu.cpp:7: reads what nobody has written (is a __syncthreads() missing?); thread (0, 0, 0)"),
    "a missing second barrier": ("__shared__ float tile[256]; const int i = threadIdx.y * 32 + threadIdx.x; tile[i] = 0; __syncthreads(); "
                                 "tile[i] = tile[255 - i];", "",
                                 "right   no: 03-gpu.cpp:7: reads what another thread writes (is a __syncthreads() missing between them?); "
                                 "thread (0, 4, 0)"),
    "a float4 at an odd place": ("if (rows == 31 && columns == 65 && y == 1 && x < 4) "
                                 "reinterpret_cast<float4*>(to)[x] = *reinterpret_cast<const float4*>(from + columns + 4 * x);", "",
                                 "right   no: 03-gpu.cpp:7: a float4 at an address that is no multiple of 16 (use single floats there); "
                                 "thread (0, 1, 0) of block (0, 0, 0), for 31 × 65"),
    "much shared memory": ("__shared__ float all[100][256]; const int z = threadIdx.y * 32 + threadIdx.x; if (rows == 33) { "
                           "for (int i = 0; i < 100; ++i) all[i][z] = i; if (all[99][z] > 1e9f) return; }", "",
                           "right   no: 03-gpu.cpp:7: the block's __shared__ variables have more than 48 KiB (make them smaller); thread "),
    "a barrier in a branch": ("if (threadIdx.x < 16) __syncthreads();\n  __syncthreads();", "",
                              "right   no: 03-gpu.cpp:8: waits at this __syncthreads(), but thread (0, 0, 0) at that of 03-gpu.cpp:7 "
                              "(move it out of the branch: all threads of a block must reach the same one); thread (16, 0, 0)"),
    "a shuffle from nowhere": ("if (threadIdx.x < 8) __shfl_sync(0xff, x, 9);", "",
                               "right   no: 03-gpu.cpp:7: takes a number from a lane that does not take part"),
    "a late write": ("", "if (columns == 40 && x + y == 0) { pthread_t late; pthread_create(&late, nullptr, [](void* at) -> void* { "
                     "usleep(1000); *static_cast<float*>(at) = 1; return nullptr; }, to); }",
                     "right   no: to[0][0] after the kernel has returned is 1, expected "),
    "accesses in secret": ("const auto move = [](float* a, const float* b) __attribute__((no_sanitize(\"thread\"))) { *a = *b; }; "
                           "if (x < columns && y < rows) move(to + x * rows + y, from + y * columns + x); return;", "",
                           "right   no: moves numbers that the emulator doesn't see"),
    "dynamic shared memory": ("extern __shared__ float tile[]; tile[0] = 1;", "", "builds  no: yours/03-gpu.cpp:7:"),
    "a word of C++": ("int z = ;", "int w = ;", "builds  no: yours/03-gpu.cpp:7:"),
}
