#include <cstddef>

#include "07-compilers/search/candidate.hpp"
#include "07-compilers/search/candidate_kernels.hpp"

namespace hf::compilers {

template void multiply_wide<3>(const Candidate&, const ProductShape&, const float*, const float*, float*, int);

}  // namespace hf::compilers
