/// \file
/// Converts counts for formulas.
#pragma once

#include <cstddef>

namespace hf {

/// The count as a double. Exact up to 2^53.
constexpr double as_double(std::size_t count) { return static_cast<double>(count); }

}  // namespace hf
