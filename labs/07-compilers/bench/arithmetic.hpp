/// \file
/// The peak speed of arithmetic on all cores: multiply-adds, and functions that need many instructions for each number.
#pragma once

#include <vector>

#include "07-compilers/kernels/compiler/function_loops.hpp"  // IWYU pragma: export
#include "07-compilers/kernels/compiler/graph.hpp"           // IWYU pragma: export
#include "harness/measure/memory.hpp"                        // IWYU pragma: export
#include "harness/measure/peaks.hpp"                         // IWYU pragma: export
#include "harness/measure/sampling.hpp"                      // IWYU pragma: export
#include "harness/measure/statistics.hpp"                    // IWYU pragma: export
#include "harness/measure/threads.hpp"                       // IWYU pragma: export

namespace hf::compilers {

class Arithmetic {
 public:
  /// \throws std::runtime_error if a function's loop is wrong
  explicit Arithmetic(Team& team);

  /// Variants "peak" and one for each of looped_functions, to be sampled with the graphs. This object must outlive
  /// them.
  std::vector<Variant> variants();

  double peak_gflops(const Sampling& sampling) const;

  /// Number of multiply-adds at peak in the time of one function evaluation.
  Estimate multiply_adds(const Sampling& sampling, Op function) const;

  /// Costs of operators for work(): the number of FLOPs at peak that take as long as the operator. A single instruction
  /// costs 2, because it takes the place of a multiply-add.
  OpCosts costs(const Sampling& sampling) const;

 private:
  struct Numbers {
    Buffer x, y;
  };

  Team& team_;
  PeakVariant peak_;
  std::vector<Numbers> numbers_;  ///< of each thread
};

}  // namespace hf::compilers
