/// \file
/// Other programs, run for what they say.
#pragma once

#include <string>
#include <vector>

namespace hf {

/// What a command writes to standard output; empty where it fails, or is not there. It is found along PATH; no shell, so
/// that no word needs quoting. Its standard error is dropped.
std::string output_of(const std::vector<std::string>& command);

}  // namespace hf
