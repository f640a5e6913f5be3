#include "03-gpu/bench/cuda/gpu_runs.hpp"

namespace hf::gpu {

std::string gpu_unavailable() { return "this program was built without CUDA"; }

std::vector<Step> gpu_steps() { return {}; }

}  // namespace hf::gpu
