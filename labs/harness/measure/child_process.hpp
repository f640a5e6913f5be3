/// \file
/// Starts, bounds and ends other processes, in one way for commands, peers and work of our own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace hf {

/// The file descriptors that become a command's standard streams; for those below zero, /dev/null.
struct Streams {
  int input = -1, output = -1, errors = -1;
};

/// A child in a process group of its own, so that its descendants can be ended with it and Ctrl-C reaches only us. If we
/// are killed, it gets SIGTERM. Its destructor kills the group and waits for the child.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts a command found along PATH, without a shell, so no word needs quoting.
  /// \param settings  replace those of the same name in our environment: "OMP_WAIT_POLICY=active"
  ChildProcess(const std::vector<std::string>& command, Streams streams, const std::vector<std::string>& settings = {});

  /// Runs work in a copy of this process, which ends with the status that the work returns, without our buffers and
  /// destructors. It must not throw.
  explicit ChildProcess(const std::function<int()>& work);

  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Why it could not be started: errno; otherwise 0.
  int error() const { return error_; }

  /// Sends a signal to the child, but not to its descendants.
  void signal(int number) const;

  /// Waits until the child ends, without collecting its status. \return true if it ended in time and before a signal to us
  bool ends_by(Clock::time_point end) const;

  /// Ends the group: SIGTERM first, so that a compiler can delete its files, and SIGKILL once the child has ended or is
  /// out of patience.
  void end(std::chrono::seconds patience) const;

  /// Waits for the child. \return its status, as waitpid() gives it
  int wait();

 private:
  bool has_ended() const;
  void signal_group(int number) const;

  pid_t child_ = -1;  ///< below zero if it was not started or was waited for
  int error_ = 0;
};

/// How a child ended, and what it said.
struct Ended {
  int error = 0;         ///< why it could not be started: errno; otherwise 0
  bool in_time = false;  ///< false if it was ended for taking too long
  int status = 0;        ///< as waitpid() gives it
  std::string text;      ///< the first 16 MiB of what it wrote

  /// True if it exited with status 0.
  bool well() const;
};

/// Starts a child that writes into the given end of a pipe, and reads what it writes until it ends. Ends it on timeout and
/// on Ctrl-C.
/// \param patience  how long it may take to delete its files then
/// \throws Interrupted
Ended hear_child(double seconds, std::chrono::seconds patience, const std::function<ChildProcess(int to)>& start);

/// Runs work in a copy of this process. Its text is what the work returns; or the message of what it throws, with the
/// status 1.
/// \throws Interrupted
Ended run_in_child(double seconds, const std::function<std::string()>& work);

/// For work in a child that may crash, or load a library that prints: hides what is printed, and prevents a core dump.
void keep_quiet();

}  // namespace hf
