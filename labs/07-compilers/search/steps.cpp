#include "07-compilers/search/steps.hpp"

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_search(Lab&) {}

}  // namespace hf::compilers
