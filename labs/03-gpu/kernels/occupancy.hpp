/// \file
/// Occupancy: how many warps a GPU's multiprocessor can hold, and how many of these a kernel allows.
#pragma once

namespace hf::gpu {

/// What a multiprocessor has for its warps. The numbers are those of compute capability 9.0, H100 and H200 (NVIDIA, CUDA
/// C++ Programming Guide, technical specifications per compute capability).
struct Multiprocessor {
  int warps = 64;                    ///< resident at a time
  int blocks = 32;                   ///< resident at a time
  int registers = 65536;             ///< of 32 bits
  int register_unit = 256;           ///< a warp gets a multiple of this
  int shared_bytes = 228 * 1024;     ///< of shared memory, for all blocks
  int shared_bytes_reserved = 1024;  ///< which the system keeps for itself, in each block
};

constexpr int threads_per_warp = 32;

/// What a kernel needs.
struct KernelNeeds {
  int threads_per_block = 256;
  int registers_per_thread = 32;
  int shared_bytes_per_block = 0;
};

/// Warps that are resident on one multiprocessor: whole blocks, as many as fit by every limit.
///
/// Registers are counted as one store. On the device each of four schedulers has a quarter of them (NVIDIA, cuda_occupancy.h), so
/// for blocks whose warps are no multiple of four this can be too many: of five warps of 136 registers each, three blocks are
/// counted where two fit.
/// \throws std::invalid_argument for needs of less than one thread and one register
int resident_warps(const Multiprocessor& has, const KernelNeeds& needs);

}  // namespace hf::gpu
