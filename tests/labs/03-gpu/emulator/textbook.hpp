/// \file
/// Small kernels whose requests can be counted by hand.
#pragma once

#include <cstdint>

namespace hf::emulator {

/// One warp copies 32 words that are `stride` apart, `offset` words after the array's beginning.
void copy_strided(const std::uint32_t* from, std::uint32_t* to, int stride, int offset);

/// One warp copies 32 times 16 bytes.
void copy_wide(const std::uint32_t* from, std::uint32_t* to);

/// One warp stores 32 words to shared memory, then each thread loads word lane · stride, modulo 32 · 32.
void load_banks(std::uint32_t* to, int stride);

/// One warp: the threads below `split` load one word, the others another, in two branches.
void branch(const std::uint32_t* from, std::uint32_t* to, int split);

/// One warp: thread i loads i + 1 words, one after the other.
void triangle(const std::uint32_t* from, std::uint32_t* to);

/// One warp copies a float2 or an int4 for each thread.
void copy_vectors(const float* from, float* to, int numbers);

/// One warp: each thread stores, or loads, those of its first eight words of shared memory whose bit is set, upwards or
/// downwards; its first word is `stride` after that of the thread before.
void store_words(std::uint32_t* to, int stride, unsigned which, bool down);
void load_words(std::uint32_t* to, int stride, unsigned which, bool down);

/// One warp: each thread copies four adjacent words from one shared array to another.
void load_and_store(std::uint32_t* to);

/// One warp: each thread adds 1 to bin lane · stride, modulo `count`, in global or in shared memory; to (32 · 32).
void count_into(std::uint32_t* bins, int stride, int count);
void count_into_shared(std::uint32_t* to, int stride, int count);

/// Forty threads use each atomic function on the same number.
struct Atomics {
  float sum = 0;
  unsigned count = 0;
  int difference = 0, most = 0, least = 0, exchanged = 0, first = -1, product = 1;
};
void use_atomics(Atomics* all);

/// One warp: __shfl_sync, _up_, _down_ and _xor_ of the lanes' numbers; to (4, 32).
void shuffle(int* to, int by, int width);

/// Two warps: the first lane of each half gets its half's sum, the others their warp's.
void sum_lanes(const double* from, double* to);

/// One warp, of which 24 lanes vote: __ballot_sync, __any_sync and __all_sync of these bits; to (3, 32).
void vote_in_lanes(unsigned* to, unsigned yes);

/// One warp copies 1, 2 or 4 numbers for each thread through shared memory; half of them in thread `inside`, and zeros beyond.
void copy_asynchronously(const float* from, float* to, int numbers, int inside);

}  // namespace hf::emulator
