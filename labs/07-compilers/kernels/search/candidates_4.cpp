#include "07-compilers/kernels/search/candidate_kernels.hpp"  // IWYU pragma: keep: clang-tidy sees no use in an instantiation

namespace hf::compilers {

template void multiply_wide<4>(const Candidate&, const ProductShape&, const float*, const float*, float*);

}  // namespace hf::compilers
