/// \file
/// Records the work of each operator of a network, and its time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/clock.hpp"
#include "harness/measure/keep.hpp"
#include "kit/work.hpp"

namespace hf::workload {

/// Kinds of operators, as they load the machine.
enum class OperatorClass {
  gemm,               ///< a matrix of weights times a matrix or a vector
  attention_product,  ///< the two matrix products in attention, whose factors are both computed
  attention_softmax,  ///< the softmax between those two
  reduction,          ///< many numbers become one: sums, means, maxima, and what is made from them
  elementwise,        ///< each number separately: biases, activations, residuals, weight updates
  copying             ///< no arithmetic: rearranged or looked up
};

/// The total work of all operators of one name in one pass.
struct OperatorTotal {
  std::string name;
  OperatorClass kind;
  Work work;
  double seconds = 0;
};

/// One pass of a network.
struct Pass {
  double seconds = 0;                    ///< from its start to its end, so a little more than the sum of its operators
  std::vector<OperatorTotal> operators;  ///< in the order in which they first ran

  /// \return the work of all operators for whose kind `chosen(kind)` is true
  template <class Chosen>
  Work work(Chosen chosen) const {
    Work sum;
    for (const OperatorTotal& each : operators) {
      if (chosen(each.kind)) sum = plus(sum, each.work);
    }
    return sum;
  }
  template <class Chosen>
  double operator_seconds(Chosen chosen) const {
    double sum = 0;
    for (const OperatorTotal& each : operators) sum += chosen(each.kind) ? each.seconds : 0;
    return sum;
  }

  static Work plus(const Work& a, const Work& b) {
    return {a.flops + b.flops, a.bytes + b.bytes, a.allocated_bytes + b.allocated_bytes};
  }
};

/// Collects the reports of operators.
class Ledger {
 public:
  /// Runs an operator and records its work and its time. Reads the clock twice, which takes tens of nanoseconds.
  template <class Code>
  void run(OperatorClass kind, std::string_view name, const Work& work, Code code) {
    // [begin: run]
    const std::int64_t start = now_ns();
    code();
    clobber();
    add(kind, name, work, seconds_since(start));
    // [end: run]
  }

  /// Discards earlier reports.
  void begin_pass();

  /// The reports since begin_pass().
  Pass end_pass();

 private:
  static double seconds_since(std::int64_t start) { return static_cast<double>(now_ns() - start) * 1e-9; }
  void add(OperatorClass kind, std::string_view name, const Work& work, double seconds);

  std::int64_t start_ = 0;
  std::vector<OperatorTotal> operators_;
};

}  // namespace hf::workload
