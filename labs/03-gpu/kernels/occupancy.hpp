/// \file
/// Occupancy: how many warps fit on a GPU's multiprocessor, and how many of these a kernel allows.
#pragma once

namespace hf::gpu {

/// A multiprocessor's resources for its warps. The numbers are those of compute capability 9.0, H100 and H200 (NVIDIA,
/// CUDA C++ Programming Guide, technical specifications per compute capability).
struct Multiprocessor {
  int warps = 64;                    ///< resident at a time
  int blocks = 32;                   ///< resident at a time
  int registers = 65536;             ///< of 32 bits
  int register_unit = 256;           ///< a warp gets a multiple of this
  int shared_bytes = 228 * 1024;     ///< of shared memory, for all blocks
  int shared_bytes_reserved = 1024;  ///< reserved by the system, in each block
};

constexpr int threads_per_warp = 32;

/// A kernel's resource needs.
struct KernelNeeds {
  int threads_per_block = 256;
  int registers_per_thread = 32;
  int shared_bytes_per_block = 0;
};

/// Warps that are resident on one multiprocessor: whole blocks, as many as fit by every limit.
///
/// Registers are counted as one pool. On the device each of four schedulers has a quarter of them (NVIDIA,
/// cuda_occupancy.h), so for blocks whose number of warps is not a multiple of four the result may be too high: with
/// five warps of 136 registers each, it counts three blocks where two fit.
/// \throws std::invalid_argument for less than one thread or one register
int resident_warps(const Multiprocessor& has, const KernelNeeds& needs);

}  // namespace hf::gpu
