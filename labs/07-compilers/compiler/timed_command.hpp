/// \file
/// Another program, run for no longer than so many seconds.
#pragma once

#include <string>
#include <vector>

namespace hf::compilers {

struct Outcome {
  enum class End { done, failed, not_started, out_of_time } end;
  std::string text;  ///< what it wrote, to its standard output and error alike; of much, the beginning
};

/// Found along PATH; no shell, so that no word needs quoting. Its standard input is empty. Past its time it and all that it
/// started are killed.
Outcome run_command(const std::vector<std::string>& command, double seconds);

}  // namespace hf::compilers
