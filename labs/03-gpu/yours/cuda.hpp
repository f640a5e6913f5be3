/// \file
/// Included before a reader's kernel: the parts of CUDA that the emulator has.
#pragma once

#include "03-gpu/kernels/emulator/cuda_words.hpp"  // IWYU pragma: export

// Threads have unsigned numbers, which CUDA's kernels compare with sizes.
#pragma GCC diagnostic ignored "-Wsign-compare"

/// The reader's kernel. It is not inlined, so that the emulator's messages name its lines alone.
__attribute__((noinline)) static void transpose(int rows, int columns, const float* from, float* to);
