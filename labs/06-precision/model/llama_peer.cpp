#include "06-precision/model/llama_peer.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "06-precision/model/llama_peer_py.hpp"
#include "harness/interrupt.hpp"
#include "harness/threads.hpp"

extern char** environ;

namespace hf::precision {
namespace {

/// What the peer's process is to know beside our environment: huge pages for its weights; its threads stay on their cores and
/// spin while a token is being decoded.
constexpr const char* settings[] = {"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "OMP_PROC_BIND=true",
                                    "OMP_WAIT_POLICY=active"};

std::vector<char*> environment() {
  std::vector<char*> all;
  for (const char* setting : settings) all.push_back(const_cast<char*>(setting));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool replaced = false;
    for (const char* setting : settings) {
      replaced = replaced || std::strncmp(*variable, setting, std::strcspn(setting, "=") + 1) == 0;
    }
    if (!replaced) all.push_back(*variable);
  }
  all.push_back(nullptr);
  return all;
}

std::string cores_by_commas() {
  std::string text;
  for (const int core : usable_cores()) text.append(text.empty() ? "" : ",").append(std::to_string(core));
  return text;
}

/// Starts python3 with the script, its standard input and output at that end of a pair of sockets. \return 0, or errno
int spawn_python(int end, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = {"python3", "-c", llama_peer_py, cores_by_commas()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment().data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// \return whether the whole text is a number
template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

LlamaPeer::LlamaPeer(std::chrono::seconds patience) : patience_(patience) {
  start();
  try {
    const std::string greeting = read_line();
    if (!greeting.starts_with("ready ")) fail("says '" + greeting + "' instead of being ready");
    kill(child_, SIGSTOP);
  } catch (...) {
    end();
    throw;
  }
}

LlamaPeer::~LlamaPeer() { end(); }

void LlamaPeer::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("has no sockets to talk through");
  socket_ = ends[0];
  const int error = spawn_python(ends[1], child_);
  close(ends[1]);
  if (error != 0) {
    child_ = -1;
    fail("python3: " + std::generic_category().message(error));
  }
}

void LlamaPeer::end() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  if (socket_ >= 0) close(socket_);
  child_ = socket_ = -1;
}

void LlamaPeer::fail(const std::string& reason) {
  end();
  throw PeerFailed("llama.cpp: " + reason);
}

void LlamaPeer::read(char* to, std::size_t bytes) {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  while (bytes > 0) {
    stop_if_interrupted();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) fail("no answer within " + std::to_string(patience_.count()) + " s");
    pollfd ready = {socket_, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t length = recv(socket_, to, bytes, 0);
    if (length == 0 || (length < 0 && errno != EINTR)) {
      stop_if_interrupted();  // Ctrl-C ends the peer too
      fail("its process has ended");
    }
    if (length < 0) continue;
    to += length;
    bytes -= static_cast<std::size_t>(length);
  }
}

std::string LlamaPeer::read_line() {
  std::string line;
  for (char c = 0; line.size() < 1000; line += c) {
    read(&c, 1);
    if (c == '\n') break;
  }
  if (line.starts_with("error: ")) fail(line.substr(std::strlen("error: ")));
  return line;
}

std::string LlamaPeer::ask(const std::string& command) {
  if (child_ < 0) fail("its process has ended");
  kill(child_, SIGCONT);
  const std::string line = command + "\n";
  if (send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    stop_if_interrupted();
    fail("its process has ended");
  }
  return read_line();
}

int LlamaPeer::load(const std::string& gguf) {
  const std::string answer = ask("load " + gguf);
  kill(child_, SIGSTOP);
  int model = -1;
  if (!parse(answer, model) || model < 0) fail("loads model '" + answer + "'");
  return model;
}

void LlamaPeer::prime(int model, std::span<const int> tokens) {
  std::string command = "prime " + std::to_string(model);
  for (const int token : tokens) command.append(" ").append(std::to_string(token));
  const std::string answer = ask(command);
  kill(child_, SIGSTOP);
  if (answer != "primed") fail("says '" + answer + "' to tokens");
}

std::vector<float> LlamaPeer::logits(int model) {
  const std::string answer = ask("logits " + std::to_string(model));
  std::size_t count = 0;
  if (!parse(answer, count) || count > (1u << 24)) fail("gives '" + answer + "' logits");
  std::vector<float> logits(count);
  read(reinterpret_cast<char*>(logits.data()), count * sizeof(float));
  kill(child_, SIGSTOP);
  return logits;
}

double LlamaPeer::step_seconds(int model, int threads, std::int64_t times) {
  const std::string answer =
      ask("step " + std::to_string(model) + " " + std::to_string(threads) + " " + std::to_string(times));
  kill(child_, SIGSTOP);
  double seconds = 0;
  if (!parse(answer, seconds) || !std::isfinite(seconds) || seconds <= 0) fail("took '" + answer + "' seconds");
  return seconds;
}

}  // namespace hf::precision
