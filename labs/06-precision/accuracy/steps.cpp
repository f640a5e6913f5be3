#include "06-precision/accuracy/steps.hpp"

#include "harness/lab.hpp"

namespace hf::precision {

void measure_accuracy([[maybe_unused]] Lab& lab) {}

}  // namespace hf::precision
