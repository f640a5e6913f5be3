#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/measure/scratch_folder.hpp"  // IWYU pragma: export

/// A temporary folder for one test.
using TemporaryFolder = hf::ScratchFolder;

/// During its lifetime, python3 is this shell script, or cannot be found.
class FakePython {
 public:
  /// \param script  empty for no python3
  explicit FakePython(const std::string& script);
  ~FakePython();
  FakePython(const FakePython&) = delete;
  FakePython& operator=(const FakePython&) = delete;

 private:
  TemporaryFolder folder_;
  std::string path_;
};

/// True if python3 lacks a module and tests may skip it. Evaluated before any test runs, for `const bool`s: tests of a
/// missing peer are skipped, and counted as skipped; with HARDWARE_FIRST_PEERS=1 in the environment they run and fail.
bool python_lacks(const std::string& module);

/// A script for FakePython: reports that it is ready, then answers each command with these words.
std::string answering(const std::string& words);

/// True if all processes that this one started have ended and were waited for.
bool has_no_children();

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)  // clang's spelling
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define THREADS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREADS_SANITIZED
#endif
#endif

/// Under the thread sanitizer vfork() is fork(), so a child cannot report why it did not start; and a signal is delayed
/// while its thread waits for a file's lock.
#if defined(THREADS_SANITIZED)
constexpr bool threads_sanitized = true;
#else
constexpr bool threads_sanitized = false;
#endif

/// True if a limit on the address space takes effect: a sanitizer needs all of it, and an emulator does not pass the
/// limit on.
#if defined(SANITIZED)
constexpr bool memory_can_be_limited = false;
#else
constexpr bool memory_can_be_limited = sizeof(EMULATOR) == 1;
#endif

/// The result of a program that has ended.
struct Ended {
  int status;  ///< exit status, or 128 + the signal that killed it
  std::string out, err;
};

/// A running program, under the emulator if cross-built; its standard output and error go to files.
class Process {
 public:
  /// \param environment  added to this process's own
  /// \param before       run in the child before the program: limits, affinity
  Process(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment = {},
          const std::function<void()>& before = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Returns once its output contains \p text; throws if it ends before that.
  void wait_until_it_says(const std::string& text) const;
  void signal(int number) const;
  pid_t number() const { return child_; }
  Ended wait();

 private:
  TemporaryFolder folder_;
  pid_t child_ = -1;
};

/// Runs a program to its end.
Ended run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment = {},
          const std::function<void()>& before = {});

/// Runs \p test in a child process, to which changes such as limits and affinity are confined.
/// \return true if the test returned true
bool in_child(const std::function<bool()>& test);

/// The processes that have this variable in their environment: "NAME=value".
std::vector<pid_t> processes_with(const std::string& variable);

/// True while a process, perhaps not a child, is neither gone nor a zombie.
bool runs(pid_t process);

/// True if it runs no longer, within a minute.
bool ends(pid_t process);

/// Lets a process, 0 for this thread, run on one core only.
void keep_on_core(int core, pid_t process = 0);

std::string content(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);
