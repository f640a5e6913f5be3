/// \file
/// Checks what must not change while a lab measures: the usable cores, and the clock that dates its record.
#pragma once

#include <string>
#include <utility>

#include "harness/measure/interrupt.hpp"

namespace hf {

/// The conditions changed, so no record is written. The message is one line. An Interrupted, so that no step continues
/// after it.
struct ConditionsChanged : Interrupted {
  explicit ConditionsChanged(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Remembers the conditions for the calling thread when measuring begins.
void remember_conditions();

/// Call on that thread; takes a few microseconds. Lab calls it at most five times a second, between samples.
/// \throws ConditionsChanged if, since remember_conditions(), this process or its thread lost or gained a core, or the
///         date clock jumped by seconds or stopped while the machine slept
void stop_if_conditions_changed();

}  // namespace hf
