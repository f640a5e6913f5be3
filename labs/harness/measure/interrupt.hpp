/// \file
/// Ctrl-C: a lab stops at the next place where it can, and leaves the previous record as it was.
#pragma once

#include <exception>

namespace hf {

/// Thrown by stop_if_interrupted() once Ctrl-C or SIGTERM has arrived; run_lab() turns it into exit status 130.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// From now on SIGINT and SIGTERM only set a flag. A second signal ends the process at once.
void catch_interrupts();

/// Whether a signal has arrived since catch_interrupts().
bool interrupted();

/// \throws Interrupted when a signal has arrived. Sampling calls it before every sample; long code between samples
///   should too.
void stop_if_interrupted();

}  // namespace hf
