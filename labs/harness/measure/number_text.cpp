#include "number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace hf {

std::string number_text(double value) {
  if (value == 0 || !std::isfinite(value)) return value == 0 ? "0" : "-";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value) * (1 + 1e-9))));
  char text[48];
  if (magnitude < -4 || magnitude > 6) {
    std::snprintf(text, sizeof text, "%.2e", value);
  } else {
    std::snprintf(text, sizeof text, "%.*f", std::max(2 - magnitude, 0), value);
  }
  return text;
}

}  // namespace hf
