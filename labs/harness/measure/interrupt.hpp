/// \file
/// Ctrl-C: a lab stops at the next safe place and leaves the previous record unchanged.
#pragma once

#include <exception>

namespace hf {

/// Thrown by stop_if_interrupted() once Ctrl-C or SIGTERM has arrived; run_lab() turns it into exit status 130.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// Makes SIGINT and SIGTERM only set a flag. A second signal ends the process at once.
void catch_interrupts();

/// True if a signal has arrived since catch_interrupts().
bool interrupted();

/// Sampling calls this before every sample; long code between samples should too.
/// \throws Interrupted when a signal has arrived
void stop_if_interrupted();

}  // namespace hf
