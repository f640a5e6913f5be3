/// \file
/// Checks every kernel's result before timing it.
#pragma once

#include <stdexcept>
#include <string>

#include "harness/report/terminal.hpp"

namespace hf {

/// \param error_share  an error as a share of what rounding allows: right if at most 1
/// \throws std::runtime_error, one line, if the error is larger
inline void verify(double error_share, const std::string& what) {
  if (error_share <= 1) return;
  throw std::runtime_error(what + " is wrong: its error is " + number_text(error_share) +
                           " times what rounding allows; nothing was timed");
}

}  // namespace hf
