#include "common/verify.hpp"

#include <stdexcept>
#include <string>

#include "harness/terminal.hpp"

namespace hf {

void verify(double error_share, const std::string& what) {
  if (error_share <= 1) return;
  throw std::runtime_error(what + " is wrong: its error is " + number_text(error_share) +
                           " times what rounding allows; nothing was timed");
}

}  // namespace hf
