/// \file
/// The roofs of arithmetic on all cores: multiply-adds, and the functions that take many instructions for a number.
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
  /// \throws std::runtime_error where a function's loop is wrong
  explicit Arithmetic(Team& team);

  /// "peak", and one for each of looped_functions, to be sampled among the graphs. They need this.
  std::vector<Variant> variants();

  double peak_gflops(const Sampling& sampling) const;

  /// In the time that a function takes for one number, how many numbers are multiplied and added.
  Estimate multiply_adds(const Sampling& sampling, Op function) const;

  /// What operators cost, as work() counts: so many FLOPs at the peak take as long as the operator. One that is a single
  /// instruction takes the place of a multiply-add, which is two.
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
