#include "06-precision/formats/steps.hpp"

#include "harness/lab.hpp"

namespace hf::precision {

void measure_formats([[maybe_unused]] Lab& lab) {}

}  // namespace hf::precision
