#include "watchdog.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>

namespace hf {
namespace {

constexpr double grace_seconds = 0.8, least_patience_seconds = 1200, patience_factor = 20;
constexpr int checks = 20;  ///< in the time without a sign of life

/// A message that the handlers below print: prepared in advance, since they may not allocate.
class Message {
 public:
  /// Replaces the text, in a way that a handler can interrupt.
  void set(const std::string& text) {
    std::array<char, 300>& next = texts_[static_cast<std::size_t>(1 - shown_)];
    next[std::min(text.size(), next.size() - 1)] = '\0';
    std::copy_n(text.begin(), std::min(text.size(), next.size() - 1), next.begin());
    shown_ = 1 - shown_;
  }
  void print() const {
    const char* text = texts_[static_cast<std::size_t>(shown_)].data();
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  }

 private:
  std::array<std::array<char, 300>, 2> texts_ = {};
  volatile std::sig_atomic_t shown_ = 0;
};

Message interrupted_message, late_message, time_is_up_message;
std::string program_name, children_file;
timer_t grace = {}, patience = {}, limit = {};
bool has_timers = false;
volatile std::sig_atomic_t watching = 0, checks_without_life = 0, is_up = 0;
double patience_seconds = 0;
void (*set_flag)(int) = nullptr;  ///< catch_interrupts()' handler

/// Starts a timer, or stops it if `first` is 0.
void start(timer_t timer, double first, double interval) {
  const auto time = [](double seconds) {
    const double whole = std::floor(seconds);
    return timespec{static_cast<std::time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  };
  const itimerspec when = {.it_interval = time(interval), .it_value = time(first)};
  timer_settime(timer, 0, &when, nullptr);
}

/// Kills the programs that the main thread started, with those that they started: each leads a process group.
void kill_children() {
  std::array<char, 4096> text = {};
  const int file = open(children_file.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t length = read(file, text.data(), text.size());
  pid_t child = 0;
  for (ssize_t i = 0; i < length; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c >= '0' && c <= '9') {
      child = 10 * child + (c - '0');
      continue;
    }
    if (child > 0) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
    }
    child = 0;
  }
}

[[noreturn]] void end(const Message& message, int status) {
  message.print();
  kill_children();
  _exit(status);
}

/// Handles SIGINT and SIGTERM. (In a child process the timer does not exist.)
void begin_grace(int number) {
  set_flag(number);
  if (watching != 0) start(grace, grace_seconds, 0);
}

/// Handles the timers' signal. A process that was stopped gets one signal for all that it missed, so the checks count
/// its own time.
void timer_fired(int, siginfo_t* info, void*) {
  if (info->si_value.sival_int == 2) {
    is_up = 1;
    return begin_grace(SIGTERM);
  }
  if (watching == 0) return;
  if (info->si_value.sival_int == 0) {
    if (is_up != 0) end(time_is_up_message, kTimeIsUp);
    end(interrupted_message, 128 + SIGINT);
  }
  checks_without_life = checks_without_life + 1;
  if (checks_without_life >= checks) end(late_message, 1);
}

timer_t new_timer(int value) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  event.sigev_value.sival_int = value;
  timer_t timer = {};
  has_timers = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && has_timers;
  return timer;
}

void catch_signals() {
  struct sigaction action = {};
  sigaction(SIGINT, nullptr, &action);
  set_flag = action.sa_handler;
  action.sa_handler = begin_grace;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction alarm = {};
  alarm.sa_sigaction = timer_fired;
  alarm.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&alarm.sa_mask);
  sigaction(SIGALRM, &alarm, nullptr);
}

/// How long the step may show no sign of life; 0 for any time.
double patience_for(double expected_seconds) {
  if (std::isinf(expected_seconds)) return 0;
  const char* chosen = std::getenv("PRESS_PATIENCE");
  const double seconds = chosen != nullptr && expected_seconds > 0 ? std::atof(chosen) : 0;
  return seconds > 0 ? seconds : std::max(least_patience_seconds, patience_factor * expected_seconds);
}

}  // namespace

void watch(const std::string& program) {
  if (!has_timers) {
    has_timers = true;
    grace = new_timer(0);
    patience = new_timer(1);
    limit = new_timer(2);
    if (!has_timers) return;
    program_name = program;
    children_file = "/proc/self/task/" + std::to_string(getpid()) + "/children";
    interrupted_message.set(program + ": interrupted; the previous record is unchanged\n");
    time_is_up_message.set(program + ": not finished in time; the previous record is unchanged\n");
    catch_signals();
  }
  watching = 1;
}

void stop_watching() { watching = 0; }

void end_within(double seconds) {
  if (!has_timers) throw std::runtime_error("this system has no timers, so --within can't be used");
  start(limit, seconds, 0);
}

bool time_is_up() { return is_up != 0; }

void watch_step(const std::string& step, double expected_seconds) {
  if (watching == 0) return;
  patience_seconds = patience_for(expected_seconds);
  const std::string beginning = program_name + ": ", rest = "; the previous record is unchanged\n";
  interrupted_message.set(beginning + "interrupted during \"" + step + "\"" + rest);
  time_is_up_message.set(beginning + "not finished in time: stopped during \"" + step + "\"" + rest);
  late_message.set(beginning + "no progress during \"" + step + "\" for " +
                   std::to_string(std::lround(patience_seconds)) + " s, so the lab was stopped" + rest);
  sign_of_life();
}

void sign_of_life() {
  if (watching == 0) return;
  checks_without_life = 0;
  start(patience, patience_seconds / checks, patience_seconds / checks);
}

}  // namespace hf
