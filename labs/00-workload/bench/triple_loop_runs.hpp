/// \file
/// The triple loop, in C++ and in Python, and a library's product, timed on one core: the same multiplications.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/blas.hpp"
#include "harness/lab.hpp"

namespace hf::workload {

/// Rows and columns of the matrices that are multiplied.
constexpr std::size_t matrix_size = 1024;

/// Seconds for the whole product.
struct TripleLoopTimes {
  Estimate naive, library;
  Estimate naive_over_library;     ///< of the same rounds
  std::optional<Estimate> python;  ///< nothing where there is no python3 that runs
};

/// Checks rows of each product against a reference, and times both, interleaved, in the present step of the lab; Python
/// after them. Every row of a triple loop takes the same time, so it is timed on a few.
/// \throws std::runtime_error, one line, where a product is wrong
TripleLoopTimes time_triple_loop(const Lab& lab, Blas& blas);

}  // namespace hf::workload
