/// \file
/// What is timed is right: an error is held against what rounding allows before any time is taken.
#pragma once

#include <stdexcept>
#include <string>

#include "harness/report/terminal.hpp"

namespace hf {

/// \param error_share  an error as a share of what rounding allows: right when at most 1
/// \throws std::runtime_error, one line, where what is named is wrong
inline void verify(double error_share, const std::string& what) {
  if (error_share <= 1) return;
  throw std::runtime_error(what + " is wrong: its error is " + number_text(error_share) +
                           " times what rounding allows; nothing was timed");
}

}  // namespace hf
