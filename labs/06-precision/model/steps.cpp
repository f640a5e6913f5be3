#include "06-precision/model/steps.hpp"

#include "harness/lab.hpp"

namespace hf::precision {

void measure_decode([[maybe_unused]] Lab& lab) {}

}  // namespace hf::precision
