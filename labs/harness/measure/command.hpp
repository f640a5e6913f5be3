/// \file
/// Other programs, run for what they say, and for no longer than so many seconds.
#pragma once

#include <string>
#include <vector>

namespace hf {

/// How a command ended.
struct CommandResult {
  enum class End { done, failed, not_started, out_of_time } end;
  std::string text;  ///< what it wrote; of much, the beginning
};

/// What is heard of a command.
enum class Listen { output, output_and_errors };

/// Found along PATH; no shell, so that no word needs quoting. Its standard input is empty. Past its time it and all that it
/// started are ended; and so they are on Ctrl-C, at once.
/// \throws Interrupted
CommandResult run_command(const std::vector<std::string>& command, double seconds,
                          Listen listen = Listen::output_and_errors);

/// What a command writes to standard output; empty where it fails, is not there, or takes longer than ten minutes.
/// \throws Interrupted
std::string output_of(const std::vector<std::string>& command);

}  // namespace hf
