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

}  // namespace hf::emulator
