/// \file
/// What must stay as it is while a lab measures: the cores that it may use, and the clock that its record is dated by.
#pragma once

#include <string>
#include <utility>

#include "harness/measure/interrupt.hpp"

namespace hf {

/// What changed, and that there is no record, in one line. An interruption: no step may go on after it.
struct ConditionsChanged : Interrupted {
  explicit ConditionsChanged(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Remembers, for the calling thread, how things are when measuring begins.
void remember_conditions();

/// On that thread, takes a few microseconds. Lab asks at most five times a second, between samples.
/// \throws ConditionsChanged where a core was taken from this process or its thread, or given to it, since
///         remember_conditions(), or where the clock that tells the date has jumped by seconds, or stood while the machine slept
void stop_if_conditions_changed();

}  // namespace hf
