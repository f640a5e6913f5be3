#include "python_peer.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

#include "harness/machine/cores.hpp"
#include "harness/measure/python_peer_py.hpp"
#include "interrupt.hpp"

extern char** environ;

namespace hf {
namespace {

/// Our environment, with these settings replacing those of the same name.
std::vector<char*> environment_with(const std::vector<std::string>& settings) {
  std::vector<char*> all;
  for (const std::string& setting : settings) all.push_back(const_cast<char*>(setting.c_str()));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name = std::string_view(*variable).substr(0, std::strcspn(*variable, "=") + 1);
    const auto is_it = [name](const std::string& setting) { return setting.starts_with(name); };
    if (std::none_of(settings.begin(), settings.end(), is_it)) all.push_back(*variable);
  }
  all.push_back(nullptr);
  return all;
}

std::string cores_by_commas() {
  std::string text;
  for (const int core : usable_cores()) text.append(text.empty() ? "" : ",").append(std::to_string(core));
  return text;
}

/// Starts python3 with the program, its standard input and output connected to \p end, one end of a pair of sockets. It
/// leads a process group, so that its descendants (a compiler, perhaps) can be killed with it and Ctrl-C reaches only
/// us.
/// \return 0, or errno
int spawn_python(const PeerProgram& program, int end, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = {"python3", "-c", python_peer_py, cores_by_commas(), program.script};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(),
                                 environment_with(program.settings).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
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
  const int error = spawn_python(program_, ends[1], child_);
  close(ends[1]);
  if (error != 0) {
    child_ = -1;
    fail("python3: " + std::generic_category().message(error));
  }
}

void PythonPeer::end() {
  if (child_ > 0) {
    if (kill(-child_, SIGKILL) != 0) kill(child_, SIGKILL);  // and its descendants
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  if (socket_ >= 0) close(socket_);
  child_ = socket_ = -1;
}

void PythonPeer::pause() { kill(child_, SIGSTOP); }

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
  if (child_ < 0) fail("its process has ended");
  deadline_ = std::chrono::steady_clock::now() + patience_;
  kill(child_, SIGCONT);
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
