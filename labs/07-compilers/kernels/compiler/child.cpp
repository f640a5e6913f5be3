#include "07-compilers/kernels/compiler/child.hpp"

#include <sys/wait.h>

#include <cstring>
#include <functional>
#include <sstream>
#include <string>

#include "harness/measure/child_process.hpp"

namespace hf::compilers {

std::string in_child(const std::string& what, double seconds, const std::function<std::string()>& work) {
  const Ended ended = run_in_child(seconds, work);
  const auto fail = [&](const std::string& how) { return BuildError(what + ": " + how + "; name another in CXX"); };
  if (ended.error != 0) {
    throw BuildError(what + ": cannot be begun (" + std::strerror(ended.error) + "); end other programs");
  }
  std::ostringstream limit;
  limit << "stopped after " << seconds << " s";
  if (!ended.in_time) throw fail(limit.str());
  if (WIFSIGNALED(ended.status)) throw fail("was ended by signal " + std::to_string(WTERMSIG(ended.status)));
  if (!ended.well()) throw BuildError(ended.text);
  return ended.text;
}

}  // namespace hf::compilers
