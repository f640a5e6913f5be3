#pragma once

#include <string>

namespace hf::emulator {

/// The file and the line of an instruction, and of the calls that led to it where they were inlined, "sgemm.cuh:47, from
/// sgemm_tiled.cuh:83", by the tool addr2line; its address where that can't say.
/// \param code  the address just after the instruction
std::string source_line(const void* code);

}  // namespace hf::emulator
