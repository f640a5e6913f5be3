#include "07-compilers/legality/steps.hpp"

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_legality(Lab&) {}

}  // namespace hf::compilers
