#include "shell.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace hf {

Outcome shell(const std::string& command) {
  Outcome outcome{-1, ""};
  std::FILE* pipe = ::popen(("exec 2>&1; unset BUDGET; " + command).c_str(), "r");
  REQUIRE(pipe != nullptr);
  char part[4096];
  for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, pipe)) > 0;) outcome.text.append(part, got);
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string command(const std::string& executable) { return RECORD_EMULATOR " " + executable + " "; }

std::string record_command() { return command(RECORD_EXECUTABLE); }

}  // namespace hf
