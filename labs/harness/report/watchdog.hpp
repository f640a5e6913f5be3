/// \file
/// Ends a lab that does not end by itself: one that was interrupted while a library spins, that makes no progress, or
/// whose time is up. Timers decide, and their signal arrives wherever the lab is; nothing runs while it measures.
#pragma once

#include <string>

namespace hf {

/// Starts watching this process, after catch_interrupts(). If it still runs 0.8 s after SIGINT or SIGTERM, it prints
/// that it was interrupted, and in which step; then it kills the programs that it started and ends with status 130.
/// \param program  its name in messages: "lab-01-sorting"
void watch(const std::string& program);

/// Stops watching: from now on a signal only sets the flag of interrupt.hpp.
void stop_watching();

/// The exit status of a lab whose time was up, as of timeout(1).
constexpr int kTimeIsUp = 124;

/// Interrupts this process after that time, as SIGTERM does, after watch(). If it must be ended while it is watched, its
/// status is kTimeIsUp.
/// \throws std::runtime_error if the system has no timer for it
void end_within(double seconds);

/// True if end_within() has interrupted this process.
bool time_is_up();

/// Begins a step. If no sign of life follows for 20 minutes, or 20 times as long as the step should take, of this
/// process's own time (not while it is stopped or the machine sleeps), the process says so and ends with status 1. The
/// environment variable PRESS_PATIENCE sets another number of seconds. Does nothing before watch().
/// \param expected_seconds  infinity if the step may take any time; 0 if it is none of the lab's own, which the variable
///                          leaves alone
void watch_step(const std::string& step, double expected_seconds);

/// Says that the step makes progress.
void sign_of_life();

}  // namespace hf
