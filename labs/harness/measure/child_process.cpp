#include "child_process.hpp"

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
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "interrupt.hpp"

extern char** environ;

namespace hf {
namespace {

using Clock = ChildProcess::Clock;

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

/// Turns the child into the command. Only calls what is allowed after vfork().
[[noreturn]] void become(char** arguments, char** environment, Streams streams, volatile int* error) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setpgid(0, 0);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(streams.input < 0 ? nowhere : streams.input, STDIN_FILENO);
  dup2(streams.output < 0 ? nowhere : streams.output, STDOUT_FILENO);
  dup2(streams.errors < 0 ? nowhere : streams.errors, STDERR_FILENO);
  execvpe(arguments[0], arguments, environment);
  *error = errno;
  _exit(127);
}

/// Reads until all writers have closed, and keeps the first 16 MiB. \return true if that happened in time and before a
/// signal
bool read_to_end(int from, Clock::time_point end, std::string& text) {
  constexpr std::size_t enough = std::size_t{1} << 24;
  constexpr std::chrono::milliseconds look_again{50};  // at whether a signal has come, perhaps to another thread
  char part[4096];
  while (!interrupted()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd waiting = {from, POLLIN, 0};
    const auto patience = std::clamp(left, std::chrono::milliseconds{0}, look_again);
    if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0 && Clock::now() >= end) return false;
    if ((waiting.revents & (POLLIN | POLLHUP)) == 0) continue;
    const ssize_t length = read(from, part, sizeof part);
    if (length <= 0) return true;
    if (text.size() < enough) text.append(part, static_cast<std::size_t>(length));
  }
  return false;
}

}  // namespace

/// Uses vfork(), which like posix_spawn() copies no memory and calls no fork handlers; posix_spawn() does not support
/// PR_SET_PDEATHSIG.
ChildProcess::ChildProcess(const std::vector<std::string>& command, Streams streams,
                           const std::vector<std::string>& settings) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_with(settings);
  volatile int failure = command.empty() ? EINVAL : 0;  // shared with the child until it executes the command
  child_ = failure != 0 ? -1 : vfork();                 // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (child_ == 0) become(arguments.data(), environment.data(), streams, &failure);
  error_ = failure != 0 ? failure : child_ < 0 ? errno : 0;
  if (error_ != 0 && child_ > 0) wait();
}

ChildProcess::ChildProcess(const std::function<int()>& work) {
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    setpgid(0, 0);
    catch_interrupts();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    _exit(getppid() == parent ? work() : 1);  // else the parent died before the signal was requested
  }
  if (child_ < 0) error_ = errno;
  if (child_ > 0) setpgid(child_, child_);  // also in the child: whichever runs first
}

ChildProcess::~ChildProcess() {
  if (child_ < 0) return;
  signal_group(SIGKILL);
  wait();
}

void ChildProcess::signal(int number) const { kill(child_, number); }

void ChildProcess::signal_group(int number) const {
  if (kill(-child_, number) != 0) kill(child_, number);  // before it leads its group
}

bool ChildProcess::has_ended() const {
  siginfo_t ended = {};
  return waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == child_;
}

bool ChildProcess::ends_by(Clock::time_point end) const {
  while (!has_ended()) {
    if (Clock::now() >= end || interrupted()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // its output is closed, so it will end soon
  }
  return true;
}

void ChildProcess::end(std::chrono::seconds patience) const {
  signal_group(SIGTERM);
  const Clock::time_point last = Clock::now() + patience;
  while (!has_ended() && Clock::now() < last) std::this_thread::sleep_for(std::chrono::microseconds(200));
  signal_group(SIGKILL);
}

int ChildProcess::wait() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
  child_ = -1;
  return status;
}

bool Ended::well() const { return error == 0 && in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0; }

Ended hear_child(double seconds, std::chrono::seconds patience, const std::function<ChildProcess(int to)>& start) {
  stop_if_interrupted();
  Ended ended;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    ended.error = errno;
    return ended;
  }
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  {
    ChildProcess child = start(ends[1]);
    close(ends[1]);
    ended.error = child.error();
    if (ended.error == 0) {
      ended.in_time = read_to_end(ends[0], end, ended.text) && child.ends_by(end);
      if (!ended.in_time) child.end(patience);
      ended.status = child.wait();
    }
  }
  close(ends[0]);
  stop_if_interrupted();
  return ended;
}

Ended run_in_child(double seconds, const std::function<std::string()>& work) {
  const auto say = [&work](int to) {
    std::string said;
    int status = 0;
    try {
      said = work();
    } catch (const std::exception& error) {
      said = error.what();
      status = 1;
    }
    for (std::size_t done = 0; done < said.size();) {
      const ssize_t written = write(to, said.data() + done, said.size() - done);
      if (written < 0 && errno != EINTR) return 1;
      if (written > 0) done += static_cast<std::size_t>(written);
    }
    return status;
  };
  // A child that is told to end may have to end its own children first, which may take a second.
  constexpr std::chrono::seconds patience{3};
  return hear_child(seconds, patience, [&say](int to) { return ChildProcess([&say, to] { return say(to); }); });
}

void keep_quiet() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace hf
