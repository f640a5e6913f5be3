/// \file
/// What 8-bit numbers gain on a core without an instruction for them.
#pragma once

#include <optional>

#include "harness/machine.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::precision {

/// A product of 8-bit numbers by AVX2, which widens them to 16 bits, over what FMAs of AVX2 do in fp32 from registers: the
/// most that any product in fp32 could reach there. On one thread, in pairs; nothing where the machine has no AVX2.
/// \throws std::runtime_error, one line, when the product is wrong
std::optional<Estimate> int8_over_fp32_on_avx2(const Machine& machine, const Plan& plan);

}  // namespace hf::precision
