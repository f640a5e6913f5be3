/// \file
/// Races a reader's transposition on an NVIDIA GPU.
#pragma once

#include <vector>

#include "yours/trial.hpp"

namespace hf::gpu {

/// Against the chapter's transpositions and a copy, in GB/s of what must be loaded and stored.
/// \param launch  a Transposition, compiled by nvcc; its pointers are the GPU's
/// \throws yours::Wrong if a timed result is wrong, std::runtime_error if there is no GPU or the launch fails
std::vector<yours::Heat> race_on_gpu(void* launch, bool quick);

}  // namespace hf::gpu
