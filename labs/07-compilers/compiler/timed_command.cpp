#include "07-compilers/compiler/timed_command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace hf::compilers {
namespace {

using Clock = std::chrono::steady_clock;

/// Starts it in a process group of its own. \return its number, 0 where it could not be started
pid_t start(const std::vector<std::string>& command, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : 0;
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

/// Reads until nobody can write any more. \return whether that was in time
bool read_until(int from, Clock::time_point end, std::string& text) {
  constexpr std::size_t enough = 1 << 16;
  char part[4096];
  for (;;) {
    pollfd waiting = {from, POLLIN, 0};
    if (poll(&waiting, 1, milliseconds_until(end)) <= 0 && Clock::now() >= end) return false;
    if ((waiting.revents & (POLLIN | POLLHUP)) == 0) continue;
    const ssize_t length = read(from, part, sizeof part);
    if (length <= 0) return true;
    if (text.size() < enough) text.append(part, static_cast<std::size_t>(length));
  }
}

/// Waits for it to end. \return whether that was in time
bool wait_until(pid_t child, Clock::time_point end, int& status) {
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // its output has ended: it is about to
  }
  return true;
}

}  // namespace

Outcome run_command(const std::vector<std::string>& command, double seconds) {
  int ends[2];
  if (command.empty() || pipe2(ends, O_CLOEXEC) != 0) return {Outcome::End::not_started, ""};
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const pid_t child = start(command, ends[1]);
  close(ends[1]);
  Outcome outcome = {Outcome::End::not_started, ""};
  if (child != 0) {
    int status = 0;
    if (read_until(ends[0], end, outcome.text) && wait_until(child, end, status)) {
      outcome.end = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Outcome::End::done : Outcome::End::failed;
    } else {
      outcome.end = Outcome::End::out_of_time;
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
    }
  }
  close(ends[0]);
  return outcome;
}

}  // namespace hf::compilers
