#include <vector>

#include "03-gpu/bench/steps.hpp"

namespace hf::gpu {

std::vector<Step> emulator_steps() { return {}; }

}  // namespace hf::gpu
