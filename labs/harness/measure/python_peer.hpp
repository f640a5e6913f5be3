/// \file
/// A peer that only Python can reach, in a process of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hf {

/// The message is one line: why a peer is not there, or not any more.
struct PeerFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a peer says in one line that it cannot do, while it is ready for other things.
struct PeerCannot : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a peer runs, and as whom it is known.
struct PeerProgram {
  std::string name;                   ///< "llama.cpp": each of its failures begins so
  const char* script;                 ///< in Python; what it shares with others is in python_peer.py
  std::vector<std::string> settings;  ///< of its environment, beside ours: "OMP_WAIT_POLICY=active"
};

/// A process that answers a command, one line, with one line. It stands still whenever it is not asked, so that its threads,
/// which spin while they wait, take no time from ours. Ends with this object, and with this process.
class PythonPeer {
 public:
  /// Starts python3, on all of usable_cores(), and waits until it is ready.
  /// \param patience  how long an answer may take
  /// \throws PeerFailed
  explicit PythonPeer(PeerProgram program, std::chrono::seconds patience = std::chrono::seconds(30));
  ~PythonPeer();
  PythonPeer(const PythonPeer&) = delete;
  PythonPeer& operator=(const PythonPeer&) = delete;

  /// Of the library, as the script says it when it is ready.
  const std::string& version() const { return version_; }

  // All of these throw PeerFailed where there is no sensible answer in time, after which the peer has ended; PeerCannot, after
  // which it has not; and Interrupted.

  /// \param numbers  sent after the command's line \return the answer
  std::string ask(const std::string& command, std::span<const float> numbers = {});

  /// \return the answer, which is a number above zero
  double ask_seconds(const std::string& command);

  /// \return the numbers that follow the answer, which says how many
  std::vector<float> ask_numbers(const std::string& command, std::span<const float> numbers = {});

  /// Ends the peer, for an answer that is none. \throws PeerFailed
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
  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace hf
