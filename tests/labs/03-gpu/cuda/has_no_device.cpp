#include "has_device.hpp"

bool hf::gpu::device_answers() { return false; }
