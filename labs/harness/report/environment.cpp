#include "environment.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/environment_csv.hpp"
#include "terminal.hpp"

namespace hf {
namespace {

constexpr const char* passed_on = "PRESS_REMOVED";

/// Takes the text up to a character, and the character, from the front of another text.
std::string_view take(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

/// What happens to a variable, from the first row of environment.csv that has it; empty if none has.
std::string_view fate_of(std::string_view name) {
  for (std::string_view rows = environment_csv; !rows.empty();) {
    std::string_view row = take(rows, '\n');
    std::string_view patterns = take(row, ';');
    while (!patterns.empty()) {
      if (matches(name, take(patterns, '`'))) return take(row, ';');
    }
  }
  return "";
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

std::array<const char*, 64> removed = {};  ///< "NAME=value"; more than these are removed, but not listed
std::size_t removed_count = 0;

/// Removes variables from the environment that this program starts with. The linker lists it among the functions that
/// run before every library's own, so it allocates nothing and uses no object that needs a constructor.
void remove_variables(int, char**, char** variables) {
  char** kept = variables;
  for (char** each = variables; *each != nullptr; ++each) {
    if (fate_of(name_of(*each)) != "removed") {
      *kept++ = *each;
    } else if (removed_count < removed.size()) {
      removed[removed_count++] = *each;
    }
  }
  *kept = nullptr;
}

[[gnu::used, gnu::section(".preinit_array")]] void (*const before_libraries)(int, char**, char**) = remove_variables;

std::string& removed_later() {
  static std::string list;
  return list;
}

void append(std::string& list, std::string_view name) { list.append(list.empty() ? "" : ", ").append(name); }

}  // namespace

std::string removed_variables() {
  const char* before = std::getenv(passed_on);
  std::string list = before != nullptr ? before : "";
  for (std::size_t i = 0; i < removed_count; ++i) append(list, name_of(removed[i]));
  if (!removed_later().empty()) append(list, removed_later());
  return list;
}

void remove_variable(const std::string& name) {
  unsetenv(name.c_str());
  append(removed_later(), name);
}

void pass_on_removed_variables() { setenv(passed_on, removed_variables().c_str(), 1); }

void forget_missing_preloads() {
  const char* wanted = std::getenv("LD_PRELOAD");
  std::string loaded;
  for (std::string_view rest = wanted != nullptr ? wanted : ""; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find_first_of(": ")));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    void* const object = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) continue;
    dlclose(object);
    loaded += (loaded.empty() ? "" : ":") + name;
  }
  if (loaded.empty()) {
    unsetenv("LD_PRELOAD");
  } else {
    setenv("LD_PRELOAD", loaded.c_str(), 1);
  }
}

std::vector<std::string> environment_notes() {
  std::vector<std::string> notes;
  if (const std::string list = removed_variables(); !list.empty())
    notes.push_back("removed from the environment: " + list);
  std::string acting;
  for (char** each = environ; *each != nullptr; ++each) {
    if (fate_of(name_of(*each)) == "noted") append(acting, name_of(*each));
  }
  if (!acting.empty()) notes.push_back("measured with " + acting + " set in the environment");
  return notes;
}

std::string variables_that_begin_with(const std::vector<std::string>& beginnings) {
  std::string list;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view name = name_of(*each);
    const auto begins = [name](const std::string& beginning) { return name.starts_with(beginning); };
    if (std::ranges::any_of(beginnings, begins)) append(list, name);
  }
  return list;
}

void keep_temporary_files_in(const std::filesystem::path& folder) {
  std::string path = std::filesystem::absolute(folder).string();
  constexpr std::size_t longest = 60;  // a socket's path has at most 107 characters, and Chromium appends 45
  if (path.size() > longest) {
    const int descriptor = open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);  // stays open for the programs
    if (descriptor >= 0) path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
  }
  setenv("TMPDIR", path.c_str(), 1);
}

void speak_english() { setenv("LC_ALL", detect_style(stdout).utf8 ? "C.UTF-8" : "C", 1); }

void bypass_compiler_caches() {
  for (const char* name : {"CCACHE_DISABLE", "SCCACHE_RECACHE"}) setenv(name, "1", 1);
}

}  // namespace hf
