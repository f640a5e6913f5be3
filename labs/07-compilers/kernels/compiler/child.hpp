/// \file
/// Runs work in a child process that ends within its time limit, whatever it does, and together with this process,
/// however this one ends.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace hf::compilers {

/// One line: what failed and what to do.
struct BuildError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `work` in a child process. Interrupts it as Ctrl-C does, on Ctrl-C, on timeout, and if this process is killed.
/// \param what  name of the work, for messages: "compiler g++: building"
/// \return what the work returns
/// \throws BuildError with the message of what the work throws, or if it takes too long or crashes
/// \throws Interrupted
std::string in_child(const std::string& what, double seconds, const std::function<std::string()>& work);

}  // namespace hf::compilers
