/// \file
/// Counts in formulas.
#pragma once

#include <cstddef>

namespace hf {

/// A count, as a formula in floating point takes it. Exact up to 2^53.
constexpr double as_double(std::size_t count) { return static_cast<double>(count); }

}  // namespace hf
