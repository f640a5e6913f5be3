#pragma once

#include <string>

namespace hf {

/// The result of a command.
struct Outcome {
  int status;
  std::string text;  // standard output and error together
};

Outcome shell(const std::string& command);

/// The command that runs `executable`, with a space after it: preceded by the emulator, if there is one.
std::string command(const std::string& executable);

/// The record tool, with a space after it.
std::string record_command();

}  // namespace hf
