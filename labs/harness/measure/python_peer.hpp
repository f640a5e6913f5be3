/// \file
/// A peer that is only available in Python, in a separate process.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "child_process.hpp"

namespace hf {

/// The peer is missing or has ended. The message is one line that says why.
struct PeerFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The peer cannot do what was asked, but is ready for other commands. The message is one line from the peer.
struct PeerCannot : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A peer's name, script and environment.
struct PeerProgram {
  std::string name;                   ///< "llama.cpp"; error messages begin with it
  const char* script;                 ///< in Python; code shared by all scripts is in python_peer.py
  std::vector<std::string> settings;  ///< added to our environment: "OMP_WAIT_POLICY=active"
};

/// A process that answers each one-line command with one line. It is paused between commands, because its threads spin
/// while they wait and would take processor time from ours. Ends with this object, or with our process.
class PythonPeer {
 public:
  /// Starts python3 on all of usable_cores() and waits until the script is ready.
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  explicit PythonPeer(PeerProgram program, std::chrono::seconds patience = std::chrono::seconds(30));
  ~PythonPeer();
  PythonPeer(const PythonPeer&) = delete;
  PythonPeer& operator=(const PythonPeer&) = delete;

  /// The library's version, which the script reports when it is ready.
  const std::string& version() const { return version_; }

  // All of the following throw
  // - PeerFailed if no sensible answer comes in time, which ends the peer;
  // - PeerCannot if the peer says that it can't do it; it keeps running;
  // - Interrupted.

  /// \param numbers  sent after the command line \return the answer
  std::string ask(const std::string& command, std::span<const float> numbers = {});

  /// \return the answer, which is a number above zero
  double ask_seconds(const std::string& command);

  /// \return the numbers that follow the answer, which gives their count
  std::vector<float> ask_numbers(const std::string& command, std::span<const float> numbers = {});

  /// Ends the peer because its answer is invalid. \throws PeerFailed
  [[noreturn]] void fail(const std::string& reason);

 private:
  void start();
  void end();
  [[noreturn]] void fail_as_ended();
  void pause();
  std::string answer(const std::string& command, std::span<const float> numbers);
  void write(const void* from, std::size_t bytes);
  void read(void* to, std::size_t bytes);
  std::string read_line();
  void wait_until(short ready);

  PeerProgram program_;
  std::chrono::seconds patience_;
  std::chrono::steady_clock::time_point deadline_;
  std::string version_;
  std::optional<ChildProcess> child_;
  int socket_ = -1;
};

}  // namespace hf
