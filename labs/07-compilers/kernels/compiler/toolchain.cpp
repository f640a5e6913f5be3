#include "07-compilers/kernels/compiler/toolchain.hpp"

#include <wordexp.h>

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/child.hpp"
#include "harness/measure/command.hpp"

namespace hf::compilers {
namespace {

using Words = std::vector<std::string>;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

Words split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Splits CXX into words as make's shell does, but runs no command substitution.
Words words_of(const std::string& name) {
  wordexp_t found = {};
  const bool is_plain = wordexp(name.c_str(), &found, WRDE_NOCMD | WRDE_UNDEF) == 0;
  Words words;
  if (is_plain) {
    words.assign(found.we_wordv, found.we_wordv + found.we_wordc);
    wordfree(&found);
  }
  if (!is_plain) throw BuildError("compiler " + name + ": is no plain command; name one, with its arguments, in CXX");
  if (words.empty()) throw BuildError("compiler: its name is empty; name one in CXX");
  return words;
}

/// The compiler that built this program, with the arguments that CXX had then: "ccache g++" is ccache, and an argument.
Words built_with() {
  Words words = split(HARDWARE_FIRST_CXX_ARGUMENTS);
  words.insert(words.begin(), HARDWARE_FIRST_CXX);
  return words;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns the line of a compiler's messages that names the error.
std::string complaint(const std::string& messages) {
  for (const char* mark : {"error:", "fatal", "Error"}) {
    if (const std::size_t at = messages.find(mark); at != std::string::npos) return first_line(messages.substr(at));
  }
  return messages.empty() ? "it says nothing" : first_line(messages);
}

}  // namespace

std::string run_compiler(const Words& command, double seconds) {
  const CommandResult result = run_command(command, seconds);
  std::ostringstream why;
  switch (result.end) {
    case CommandResult::End::done: return result.text;
    case CommandResult::End::not_started: why << "cannot be started; name one in CXX, or install g++"; break;
    case CommandResult::End::out_of_time: why << "stopped after " << seconds << " s; name another in CXX"; break;
    case CommandResult::End::failed: why << "failed: " << complaint(result.text) << "; name another in CXX"; break;
  }
  throw BuildError("compiler " + command[0] + ": " + why.str());
}

Toolchain find_toolchain(const std::string& name) {
  const std::string chosen = name.empty() ? environment("CXX") : name;
  return {chosen.empty() ? built_with() : words_of(chosen), split(HARDWARE_FIRST_LOOP_FLAGS)};
}

}  // namespace hf::compilers
