#include "07-compilers/modes/steps.hpp"

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_modes(Lab&) {}

}  // namespace hf::compilers
