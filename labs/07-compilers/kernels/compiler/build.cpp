#include "07-compilers/kernels/compiler/build.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/command.hpp"
#include "harness/machine.hpp"
#include "record/sha256.hpp"

namespace hf::compilers {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The line of a compiler's messages that says what is wrong.
std::string complaint(const std::string& messages) {
  for (const char* mark : {"error:", "fatal", "Error"}) {
    if (const std::size_t at = messages.find(mark); at != std::string::npos) return first_line(messages.substr(at));
  }
  return messages.empty() ? "it says nothing" : first_line(messages);
}

/// Runs the compiler. \return what it says \throws BuildError
std::string say(const std::vector<std::string>& command, double seconds) {
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

/// What an entry's files are called: NAME-KEY, the key of everything beside its source that a program depends on.
struct Entry {
  Entry(const std::string& source, const Toolchain& with) {
    constexpr std::size_t digits = 16;
    const std::string command = joined(with.command) + '\n';
    name = sha256(command + source).substr(0, digits) + '-';
    stem = name + sha256(command + with.version + '\n' + joined(with.flags) + '\n' + with.instruction_sets + '\n')
                      .substr(0, digits);
  }
  std::string name, stem;
};

constexpr std::string_view seal_mark = "\nhardware-first ";
constexpr std::size_t seal_size = seal_mark.size() + 64;

std::string seal(std::string_view bytes) { return std::string(seal_mark) + sha256(bytes); }

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether a file ends with the hash of what stands before.
bool is_whole(const fs::path& file) {
  const std::string bytes = fs::is_regular_file(file) ? read(file) : "";
  if (bytes.size() < seal_size) return false;
  const std::string_view body(bytes.data(), bytes.size() - seal_size);
  return bytes.substr(body.size()) == seal(body);
}

/// The home directory as $HOME: messages go into records, which name nobody.
std::string shown(const fs::path& path) {
  const std::string text = path.string(), home = environment("HOME");
  return home.empty() || !text.starts_with(home + '/') ? text : "$HOME" + text.substr(home.size());
}

/// \param remedy  what would do beside another folder
[[noreturn]] void refuse(const fs::path& path, const std::string& what, const std::string& remedy = "") {
  throw BuildError("cache " + shown(path) + ": " + what + "; " + remedy +
                   "name another folder in HARDWARE_FIRST_CACHE");
}

/// Makes the folder where it is not there. What lies in it is run, so nobody else may write there.
void prepare(const fs::path& cache) {
  std::error_code error;
  if (!fs::exists(cache, error)) {
    fs::create_directories(cache, error);
    if (!error) fs::permissions(cache, fs::perms::owner_all, error);
  }
  struct stat status;
  if (error || stat(cache.c_str(), &status) != 0) {
    refuse(cache, "cannot be made: " + (error ? error.message() : std::strerror(errno)));
  }
  if (!S_ISDIR(status.st_mode)) refuse(cache, "is no folder");
  if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    refuse(cache, "others may write there", "take that right away (chmod go-w), or ");
  }
}

/// Files that are being written have this in their names, and the number of the process that writes them.
constexpr std::string_view being_written = ".of-";

/// Removes what processes that are no more were writing.
/// \return entries of the same source that were built in another way
std::vector<fs::path> tidy(const fs::path& cache, const Entry& entry) {
  std::vector<fs::path> out_of_date;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(cache, error)) {
    const std::string name = file.path().filename().string();
    if (const std::size_t at = name.find(being_written); at != std::string::npos) {
      pid_t process = 0;
      std::from_chars(name.data() + at + being_written.size(), name.data() + name.size(), process);
      if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) fs::remove(file.path(), error);
    } else if (name.starts_with(entry.name) && !name.starts_with(entry.stem)) {
      out_of_date.push_back(file.path());
    }
  }
  return out_of_date;
}

/// Files of this process that are gone again at the end of its scope, unless they have been renamed.
struct Temporary {
  Temporary(const fs::path& cache, const Entry& entry) {
    static std::atomic<int> count{0};
    const std::string stem = (cache / entry.stem).string() + std::string(being_written) + std::to_string(getpid()) +
                             '-' + std::to_string(count++);
    source = stem + ".cpp";
    library = stem + ".so";
  }
  ~Temporary() {
    std::error_code error;
    for (const fs::path& file : {source, library}) fs::remove(file, error);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  fs::path source, library;
};

void write(const fs::path& file, const std::string& text, std::ios::openmode mode) {
  std::ofstream out(file, std::ios::binary | mode);
  out << text;
  out.close();
  if (!out) refuse(file.parent_path(), "cannot be written to", "make room or ");
}

void replace(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) refuse(to, error.message());
}

}  // namespace

Toolchain find_toolchain(const std::string& name, double seconds) {
  std::string command = name.empty() ? environment("CXX") : name;
  if (command.empty()) command = HARDWARE_FIRST_CXX;
  Toolchain toolchain = {words_of(command), "", words_of(HARDWARE_FIRST_LOOP_FLAGS), joined(probe_isa())};
  if (toolchain.command.empty()) throw BuildError("compiler: its name is empty; name one in CXX");
  static std::mutex mutex;
  static std::map<std::string, std::string> versions;  // of each compiler, asked once
  const std::lock_guard lock(mutex);
  if (!versions.contains(command)) {
    std::vector<std::string> question = toolchain.command;
    question.emplace_back("--version");
    versions[command] = first_line(say(question, seconds));
  }
  toolchain.version = versions[command];
  return toolchain;
}

fs::path default_cache() {
  if (const std::string own = environment("HARDWARE_FIRST_CACHE"); !own.empty()) return own;
  if (const std::string user = environment("XDG_CACHE_HOME"); !user.empty()) return fs::path(user) / "hardware-first";
  if (const std::string home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache" / "hardware-first";
  throw BuildError("cache: HARDWARE_FIRST_CACHE, XDG_CACHE_HOME and HOME are not set; set one");
}

Built build(const std::string& source, const Toolchain& toolchain, const fs::path& cache, double seconds) {
  prepare(cache);
  const Entry entry(source, toolchain);
  const fs::path library = cache / (entry.stem + ".so");
  const bool is_there = fs::exists(library);
  if (is_there && is_whole(library)) return {library, true, ""};
  const std::vector<fs::path> old = tidy(cache, entry);

  const Temporary made(cache, entry);
  write(made.source, source, std::ios::trunc);
  std::vector<std::string> command = toolchain.command;
  command.insert(command.end(), toolchain.flags.begin(), toolchain.flags.end());
  command.insert(command.end(), {"-o", made.library.string(), made.source.string()});
  say(command, seconds);
  const std::string bytes = read(made.library);
  if (bytes.empty()) throw BuildError("compiler " + toolchain.command[0] + ": wrote nothing; name another in CXX");
  write(made.library, seal(bytes), std::ios::app);
  replace(made.source, cache / (entry.stem + ".cpp"));
  replace(made.library, library);
  std::error_code error;
  for (const fs::path& file : old) fs::remove(file, error);
  if (is_there) return {library, false, "cache " + shown(library) + ": damaged; built anew"};
  if (old.empty()) return {library, false, ""};
  return {library, false,
          "cache " + shown(old[0]) + ": is of another version, other flags or another machine; built anew"};
}

}  // namespace hf::compilers
