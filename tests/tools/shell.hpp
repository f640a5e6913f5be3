#pragma once

#include <string>

namespace hf {

/// How a command ended.
struct Outcome {
  int status;
  std::string text;  // standard output and error together
};

Outcome shell(const std::string& command);

/// What runs `executable`, with a space after it: the emulator before it, where there is one.
std::string command(const std::string& executable);

/// The record tool, with a space after it.
std::string record_command();

}  // namespace hf
