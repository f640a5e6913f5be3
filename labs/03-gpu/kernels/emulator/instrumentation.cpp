// The compiler's instrumentation calls these functions at each access and each basic block of a kernel.
#include "03-gpu/kernels/emulator/instrumentation.hpp"

#include <cstddef>
#include <cstdint>

namespace hf::emulator {

void observe(const void* address, std::size_t bytes, bool writes, bool at_once, const void* code) {
  // Else a GPU makes the access in smaller parts: words, or bytes.
  const std::size_t word = (reinterpret_cast<std::uintptr_t>(address) | bytes) % 4 == 0 ? 4 : 1;
  const std::size_t part = at_once ? bytes : word;
  for (std::size_t at = 0; at < bytes; at += part) see(static_cast<const char*>(address) + at, part, writes, code);
}

}  // namespace hf::emulator

extern "C" void __sanitizer_cov_trace_pc() { hf::emulator::enter_basic_block(__builtin_return_address(0)); }
