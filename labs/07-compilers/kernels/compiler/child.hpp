/// \file
/// Work in a child process: it ends in time, whatever it does, and with this process, however this one ends.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace hf::compilers {

/// One line: what failed and what to do.
struct BuildError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Should this process be killed, the work is interrupted as by Ctrl-C; and so it is on Ctrl-C, and past its time.
/// \param what  it is, for messages: "compiler g++: building"
/// \return what the work returns
/// \throws BuildError  with the words of what the work throws; or where it takes too long, or crashes
/// \throws Interrupted
std::string in_child(const std::string& what, double seconds, const std::function<std::string()>& work);

}  // namespace hf::compilers
