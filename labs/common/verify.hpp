/// \file
/// What is timed is right: an error is held against what rounding allows before any time is taken.
#pragma once

#include <string>

namespace hf {

/// \param error_share  an error as a share of what rounding allows: right when at most 1
/// \throws std::runtime_error, one line, where what is named is wrong
void verify(double error_share, const std::string& what);

}  // namespace hf
