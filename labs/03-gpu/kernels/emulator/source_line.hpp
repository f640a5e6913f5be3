#pragma once

#include <string>

namespace hf::emulator {

/// The file and the line of an instruction, "sgemm_simple.cuh:25", by the tool addr2line; its address where that can't say.
/// \param code  where the code goes on after it
std::string source_line(const void* code);

}  // namespace hf::emulator
