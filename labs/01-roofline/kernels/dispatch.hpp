/// \file
/// Chooses at run time among the kernels compiled for several instruction sets.
#pragma once

#include <vector>

#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "harness/machine/machine.hpp"

namespace hf::roofline {

/// The kernel sets that this machine can run, narrowest first. There is always at least one.
std::vector<const KernelSet*> kernel_sets(const Machine& machine);

/// The bf16 and int8 dot-product loops that this machine can run; may be none.
std::vector<const DotProductLoop*> dot_product_loops(const Machine& machine);

}  // namespace hf::roofline
