#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/measure/scratch_folder.hpp"  // IWYU pragma: export

/// A folder that is there for one test.
using TemporaryFolder = hf::ScratchFolder;

/// While it is there, python3 is this shell script, or is not to be found.
class FakePython {
 public:
  /// \param script  empty for none
  explicit FakePython(const std::string& script);
  ~FakePython();
  FakePython(const FakePython&) = delete;
  FakePython& operator=(const FakePython&) = delete;

 private:
  TemporaryFolder folder_;
  std::string path_;
};

/// Whether python3 lacks a module, and none is demanded. Asked before any test runs, by `const bool`s: where a peer is missing, its
/// tests are skipped, and counted as skipped; with HARDWARE_FIRST_PEERS=1 in the environment they run, and fail.
bool python_lacks(const std::string& module);

/// For a FakePython: says it is ready, and then these words to each command.
std::string answering(const std::string& words);

/// Whether all processes that this one started have ended, and were waited for.
bool has_no_children();

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)  // as Clang says it
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

/// Under the thread sanitizer vfork() is fork(), so that a child cannot say why it did not start; and a signal is held back while its
/// thread waits for the lock of a file.
#if defined(THREADS_SANITIZED)
constexpr bool threads_sanitized = true;
#else
constexpr bool threads_sanitized = false;
#endif

/// Whether a limit on the address space binds: a sanitizer needs all of it, an emulator does not pass it on.
#if defined(SANITIZED)
constexpr bool memory_can_be_limited = false;
#else
constexpr bool memory_can_be_limited = sizeof(EMULATOR) == 1;
#endif

/// What a program that has ended left behind.
struct Ended {
  int status;  ///< exit status, or 128 + the signal that killed it
  std::string out, err;
};

/// A program while it runs, under the emulator when cross-built; its standard output and error go to files.
class Process {
 public:
  /// \param environment  added to this process's own
  /// \param before       run in the child before the program: limits, affinity
  Process(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment = {},
          const std::function<void()>& before = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Returns once its output has \p text in it; throws if it ends before that.
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

/// Runs \p test in a child process, so that what it does to itself (limits, affinity) ends there.
/// \return whether it returned true
bool in_child(const std::function<bool()>& test);

/// The processes that have such a variable in their environment: "NAME=value".
std::vector<pid_t> processes_with(const std::string& variable);

std::string content(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);
