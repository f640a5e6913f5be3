#pragma once

#include <string>

namespace hf::emulator {

/// The file and the line of an instruction, and of the calls through which it was inlined, "sgemm.cuh:47, from
/// sgemm_tiled.cuh:83", from the tool addr2line; only its address if that fails.
/// \param code  the address just after the instruction
std::string source_line(const void* code);

}  // namespace hf::emulator
