/// \file
/// What the GPU has that this code is compiled for. A kernel that needs more is compiled as empty and never started.
#pragma once

/// From Ampere on, compute capability 8.0: tensor cores in bf16, and copies to shared memory that bypass the registers.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HF_AMPERE_CODE 1
#endif

/// Hopper's own instructions, TMA and WGMMA.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HF_HOPPER_CODE 1
#endif

namespace hf::gpu {

constexpr int ampere = 80;  ///< its compute capability, as in cuda::Device

}  // namespace hf::gpu
