/// \file
/// When what was spent on compiling has been won back.
#pragma once

#include <optional>
#include <string>

#include "harness/results.hpp"

namespace hf::compilers {

/// A way to run something: what the first call costs more than the others, and what each call takes. Seconds.
struct Cost {
  Estimate first;
  Estimate call;
};

/// Calls after which `first` is won back, where a call takes so much less than otherwise; nothing where it does not.
std::optional<Estimate> break_even_calls(const Cost& compiled, const Estimate& otherwise);

/// Seconds of all calls together, over their number: 1, 2, 5, 10, … up to `most`.
Series seconds_together(const std::string& id, const std::string& label, const Cost& cost, double most);

}  // namespace hf::compilers
