/// \file
/// Formats numbers for people.
#pragma once

#include <string>

namespace hf {

/// The number to three significant digits: "0.0833", "16.5", "175", "1.25e+06".
std::string number_text(double value);

}  // namespace hf
