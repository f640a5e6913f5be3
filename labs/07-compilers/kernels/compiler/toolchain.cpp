#include "07-compilers/kernels/compiler/toolchain.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/child.hpp"
#include "harness/machine/machine.hpp"
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

Words joined(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Returns the compiler's answer, or its error for a question that not every compiler supports.
std::string answer(const Words& question, double seconds) {
  try {
    return run_compiler(question, seconds);
  } catch (const BuildError& error) {
    return error.what();
  }
}

/// Returns the commands that the compiler would run, with all arguments, without the current folder, and with size and
/// time of each program, so that another build of the same version gives another text.
std::string plan_of(const Words& command, double seconds) {
  std::string text;
  for (std::string word : split(answer(joined(command, {"-###", "-E", "-x", "c++", "/dev/null"}), seconds))) {
    if (word.find("compilation-dir=") != std::string::npos) continue;
    text += word + ' ';
    std::erase(word, '"');
    struct stat status;
    if (!word.starts_with('/') || stat(word.c_str(), &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || access(word.c_str(), X_OK) != 0) continue;
    text += std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtime) + ' ';
  }
  return text;
}

std::string ask(const Toolchain& toolchain, double seconds) {
  const std::string version = run_compiler(joined(toolchain.command, {"--version"}), seconds);
  Words with_flags = toolchain.command;
  with_flags.insert(with_flags.end(), toolchain.flags.begin(), toolchain.flags.end());
  std::string text = version + plan_of(with_flags, seconds) + '\n';
  for (const char* program : {"-print-prog-name=as", "-print-prog-name=ld"}) {
    const std::string path = first_line(answer(joined(toolchain.command, {program}), seconds));
    if (!path.empty()) text += path + ": " + first_line(answer({path, "--version"}, seconds)) + '\n';
  }
  return text;
}

std::string search_paths() {
  std::string text;
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"})
    text += std::string(name) + '=' + environment(name) + '\n';
  return text;
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

Toolchain find_toolchain(const std::string& name, double seconds) {
  const std::string chosen = name.empty() ? environment("CXX") : name;
  Toolchain toolchain = {chosen.empty() ? built_with() : words_of(chosen), split(HARDWARE_FIRST_LOOP_FLAGS),
                         search_paths()};
  static std::mutex mutex;
  static std::map<std::pair<Words, std::string>, std::string> answers;  // each compiler is queried once
  const std::lock_guard lock(mutex);
  std::string& said = answers[{toolchain.command, toolchain.identity}];
  if (said.empty()) {
    constexpr int questions = 6;  // each with its own limit
    said = in_child("compiler " + toolchain.command[0], (questions + 1) * seconds,
                    [&] { return ask(toolchain, seconds); });
  }
  toolchain.identity += said;
  for (const std::string& set : probe_isa()) toolchain.identity += set + ' ';
  return toolchain;
}

}  // namespace hf::compilers
