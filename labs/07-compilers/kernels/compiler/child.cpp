#include "07-compilers/kernels/compiler/child.hpp"

#include <fcntl.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "harness/measure/interrupt.hpp"

namespace hf::compilers {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs the child from start to exit. It gets its own process group, so that all processes it starts can be ended with
/// it.
[[noreturn]] void live(pid_t parent, int to, const std::function<std::string()>& work) {
  setpgid(0, 0);
  catch_interrupts();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::string said;
  bool well = getppid() == parent;  // else the parent died before the signal was requested
  try {
    if (well) said = work();
  } catch (const std::exception& error) {
    said = error.what();
    well = false;
  }
  for (std::size_t done = 0; done < said.size();) {
    const ssize_t written = write(to, said.data() + done, said.size() - done);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  _exit(well ? 0 : 1);  // without the parent's buffers and destructors
}

/// Reads until the child closes the pipe. \return false on timeout or a signal
bool heard(int from, Clock::time_point end, std::string& text) {
  constexpr int patience_ms = 50;  // another thread may have received a signal
  char part[4096];
  while (!interrupted() && Clock::now() < end) {
    pollfd waiting = {from, POLLIN, 0};
    if (poll(&waiting, 1, patience_ms) <= 0) continue;
    const ssize_t length = read(from, part, sizeof part);
    if (length <= 0) return true;
    text.append(part, static_cast<std::size_t>(length));
  }
  return false;
}

/// Ends the child: SIGTERM first, so that it ends its own children, which may take a second, and deletes its files.
void finish(pid_t child) {
  kill(child, SIGTERM);
  const Clock::time_point end = Clock::now() + std::chrono::seconds(3);
  siginfo_t ended = {};
  while (Clock::now() < end && ended.si_pid != child) {
    waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(-child, SIGKILL);
}

}  // namespace

std::string in_child(const std::string& what, double seconds, const std::function<std::string()>& work) {
  const auto fail = [&](const std::string& how) { return BuildError(what + ": " + how + "; name another in CXX"); };
  const auto cannot_begin = [&](int error) {
    return BuildError(what + ": cannot be begun (" + std::strerror(error) + "); end other programs");
  };
  stop_if_interrupted();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw cannot_begin(errno);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) live(parent, ends[1], work);
  const int error = errno;
  close(ends[1]);
  std::string text;
  bool in_time = true;
  int status = 0;
  if (child > 0) {
    setpgid(child, child);  // also in the child: whichever runs first
    const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    in_time = heard(ends[0], Clock::now() + limit, text);
    if (!in_time) finish(child);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  stop_if_interrupted();
  if (child < 0) throw cannot_begin(error);
  std::ostringstream limit;
  limit << "stopped after " << seconds << " s";
  if (!in_time) throw fail(limit.str());
  if (WIFSIGNALED(status)) throw fail("was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) throw BuildError(text);
  return text;
}

}  // namespace hf::compilers
