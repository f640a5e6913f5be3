/// \file
/// What the compiler's instrumentation reports of the running kernel.
#pragma once

#include <cstddef>

namespace hf::emulator {

/// An access, by the instruction before `code`.
void see(const void* address, std::size_t size, bool writes, const void* code);

/// Sees an access as a GPU makes it: an Observer.
void observe(const void* address, std::size_t bytes, bool writes, bool at_once, const void* code);

/// The beginning of a basic block.
void enter_basic_block(const void* code);

}  // namespace hf::emulator
