/// \file
/// Runs other programs with a time limit and returns their output.
#pragma once

#include <string>
#include <vector>

namespace hf {

/// How a command ended.
struct CommandResult {
  enum class End { done, failed, not_started, out_of_time } end;
  std::string text;  ///< its output; only the beginning if there is a lot
};

/// Which streams of a command are read.
enum class Listen { output, output_and_errors };

/// Runs a command found along PATH, without a shell, so no word needs quoting. Its standard input is empty. Kills the
/// whole process tree on timeout or Ctrl-C.
/// \throws Interrupted
CommandResult run_command(const std::vector<std::string>& command, double seconds,
                          Listen listen = Listen::output_and_errors);

/// The standard output of a command; empty if it fails, does not exist, or takes longer than ten minutes.
/// \throws Interrupted
std::string output_of(const std::vector<std::string>& command);

}  // namespace hf
