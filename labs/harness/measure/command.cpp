#include "command.hpp"

#include <fcntl.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "interrupt.hpp"

namespace hf {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Turns the child into the command, in its own process group, so that its descendants can be killed with it and Ctrl-C
/// reaches only us. If we are killed, the child gets SIGTERM.
[[noreturn]] void become(char** arguments, int output, int errors, volatile int* error) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setpgid(0, 0);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execvp(arguments[0], arguments);
  *error = errno;
  _exit(127);
}

/// Uses vfork(), which like posix_spawn() copies no memory and calls no fork handlers; posix_spawn() does not support
/// PR_SET_PDEATHSIG.
/// \return the child's process id, 0 if it could not be started
pid_t start(const std::vector<std::string>& command, int output, Listen listen) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  volatile int error = 0;       // shared with the child until it executes the command
  const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (child == 0) become(arguments.data(), output, listen == Listen::output ? nowhere : output, &error);
  close(nowhere);
  if (child > 0 && error != 0) waitpid(child, nullptr, 0);
  return child > 0 && error == 0 ? child : 0;
}

/// How long to wait before checking for a signal again, which may have gone to another thread.
int patience_ms(Clock::time_point end) {
  constexpr long long most = 50;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, most));
}

/// Reads until all writers have closed. \return true if that happened in time and before a signal
bool read_until(int from, Clock::time_point end, std::string& text) {
  constexpr std::size_t enough = std::size_t{1} << 24;
  char part[4096];
  while (!interrupted()) {
    pollfd waiting = {from, POLLIN, 0};
    if (poll(&waiting, 1, patience_ms(end)) <= 0 && Clock::now() >= end) return false;
    if ((waiting.revents & (POLLIN | POLLHUP)) == 0) continue;
    const ssize_t length = read(from, part, sizeof part);
    if (length <= 0) return true;
    if (text.size() < enough) text.append(part, static_cast<std::size_t>(length));
  }
  return false;
}

/// Waits for the child to end, without reaping it. \return true if it ended in time and before a signal
bool ends_until(pid_t child, Clock::time_point end, bool despite_signals = false) {
  for (;;) {
    siginfo_t ended = {};
    waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == child) return true;
    if (Clock::now() >= end || (interrupted() && !despite_signals)) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // its output is closed, so it will end soon
  }
}

/// Kills the whole process tree. SIGTERM comes first, so that a compiler can remove its temporary files.
void finish(pid_t child) {
  kill(-child, SIGTERM);
  ends_until(child, after(1), true);
  kill(-child, SIGKILL);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& command, double seconds, Listen listen) {
  CommandResult result = {CommandResult::End::not_started, ""};
  stop_if_interrupted();
  int ends[2];
  if (command.empty() || pipe2(ends, O_CLOEXEC) != 0) return result;
  const Clock::time_point end = after(seconds);
  const pid_t child = start(command, ends[1], listen);
  close(ends[1]);
  if (child != 0) {
    const bool in_time = read_until(ends[0], end, result.text) && ends_until(child, end);
    if (!in_time) finish(child);
    int status = 0;
    waitpid(child, &status, 0);
    const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    result.end = !in_time ? CommandResult::End::out_of_time
                 : well   ? CommandResult::End::done
                          : CommandResult::End::failed;
  }
  close(ends[0]);
  stop_if_interrupted();
  return result;
}

std::string output_of(const std::vector<std::string>& command) {
  constexpr double seconds = 600;
  CommandResult result = run_command(command, seconds, Listen::output);
  return result.end == CommandResult::End::done ? std::move(result.text) : "";
}

}  // namespace hf
