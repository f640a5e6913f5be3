#include "python_peer.hpp"

#include <sys/poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "child_process.hpp"
#include "harness/machine/cores.hpp"
#include "harness/measure/python_peer_py.hpp"
#include "interrupt.hpp"

namespace hf {
namespace {

std::string cores_by_commas() {
  std::string text;
  for (const int core : usable_cores()) text.append(text.empty() ? "" : ",").append(std::to_string(core));
  return text;
}

/// \return true if the whole text is a number
template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

PythonPeer::PythonPeer(PeerProgram program, std::chrono::seconds patience)
    : program_(std::move(program)), patience_(patience) {
  start();
  try {
    deadline_ = std::chrono::steady_clock::now() + patience_;
    const std::string greeting = read_line(), ready = "ready ";
    if (!greeting.starts_with(ready)) fail("says '" + greeting + "' instead of being ready");
    version_ = greeting.substr(ready.size());
    pause();
  } catch (...) {
    end();
    throw;
  }
}

PythonPeer::~PythonPeer() { end(); }

void PythonPeer::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("has no sockets to talk through");
  socket_ = ends[0];
  const std::vector<std::string> python = {"python3", "-c", python_peer_py, cores_by_commas(), program_.script};
  child_.emplace(python, Streams{ends[1], ends[1]}, program_.settings);
  close(ends[1]);
  if (const int error = child_->error()) fail("python3: " + std::generic_category().message(error));
}

void PythonPeer::end() {
  child_.reset();
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

void PythonPeer::pause() { child_->signal(SIGSTOP); }

void PythonPeer::fail(const std::string& reason) {
  end();
  throw PeerFailed(program_.name + ": " + reason);
}

void PythonPeer::fail_as_ended() {
  stop_if_interrupted();  // the same signal may have ended the peer
  fail("its process has ended");
}

void PythonPeer::wait_until(short ready) {
  for (;;) {
    stop_if_interrupted();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) fail("no answer within " + std::to_string(patience_.count()) + " s");
    pollfd socket = {socket_, ready, 0};
    if (poll(&socket, 1, static_cast<int>(left.count())) > 0) return;
  }
}

void PythonPeer::write(const void* from, std::size_t bytes) {
  for (const char* next = static_cast<const char*>(from); bytes > 0;) {
    wait_until(POLLOUT);
    const ssize_t length = send(socket_, next, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (length < 0 && errno != EINTR && errno != EAGAIN) fail_as_ended();
    if (length < 0) continue;
    next += length;
    bytes -= static_cast<std::size_t>(length);
  }
}

void PythonPeer::read(void* to, std::size_t bytes) {
  for (char* next = static_cast<char*>(to); bytes > 0;) {
    wait_until(POLLIN);
    const ssize_t length = recv(socket_, next, bytes, 0);
    if (length == 0 || (length < 0 && errno != EINTR)) fail_as_ended();
    if (length < 0) continue;
    next += length;
    bytes -= static_cast<std::size_t>(length);
  }
}

std::string PythonPeer::read_line() {
  std::string line;
  for (char c = 0; line.size() < 1000; line += c) {
    read(&c, 1);
    if (c == '\n') break;
  }
  if (line.starts_with("error: ")) fail(line.substr(std::strlen("error: ")));
  if (line.starts_with("cannot: ")) {
    pause();
    throw PeerCannot(program_.name + ": " + line.substr(std::strlen("cannot: ")));
  }
  return line;
}

std::string PythonPeer::answer(const std::string& command, std::span<const float> numbers) {
  if (!child_) fail("its process has ended");
  deadline_ = std::chrono::steady_clock::now() + patience_;
  child_->signal(SIGCONT);
  const std::string line = command + "\n";
  write(line.data(), line.size());
  write(numbers.data(), numbers.size_bytes());
  return read_line();
}

std::string PythonPeer::ask(const std::string& command, std::span<const float> numbers) {
  std::string said = answer(command, numbers);
  pause();
  return said;
}

double PythonPeer::ask_seconds(const std::string& command) {
  const std::string said = ask(command);
  double seconds = 0;
  if (!parse(said, seconds) || !std::isfinite(seconds) || seconds <= 0) fail("took '" + said + "' seconds");
  return seconds;
}

std::vector<float> PythonPeer::ask_numbers(const std::string& command, std::span<const float> numbers) {
  const std::string said = answer(command, numbers);
  std::size_t count = 0;
  if (!parse(said, count) || count > (std::size_t{1} << 28)) fail("gives '" + said + "' numbers");
  std::vector<float> given(count);
  read(given.data(), count * sizeof(float));
  pause();
  return given;
}

}  // namespace hf
