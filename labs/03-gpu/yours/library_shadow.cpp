// The emulator's record of memory, which takes the program's own variables for the shared ones. Here they may be a library's.
#include "03-gpu/yours/library_shadow.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>  // IWYU pragma: keep
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>      // IWYU pragma: keep
#include <new>          // IWYU pragma: keep
#include <string_view>  // IWYU pragma: keep
#include <vector>       // IWYU pragma: keep

// All that shadow.cpp includes comes before the macros.
#include "03-gpu/kernels/emulator/emulator.hpp"  // IWYU pragma: keep
#include "03-gpu/kernels/emulator/launch.hpp"
#include "03-gpu/kernels/emulator/shadow.hpp"

extern "C" {
char *hf_shared_begin = nullptr, *hf_shared_end = nullptr;
}

// The linker's names for the program's first variable, and for what follows its last.
#define __data_start *hf_shared_begin
#define _end *hf_shared_end
#define space_of known_space_of
#include "03-gpu/kernels/emulator/shadow.cpp"  // NOLINT: the same code, for other variables
#undef __data_start
#undef _end
#undef space_of

namespace hf::emulator {

/// Ends the process at an address that is no array's. The emulator would go on with the next block, on the stack of the thread
/// that it has stopped.
Space space_of(std::uintptr_t address) {
  const Space known = known_space_of(address);
  if (known != Space::none) return known;
  std::printf("uses an address that is no array's; thread (%u, %u, %u) of block (%u, %u, %u)\n", here.thread.x,
              here.thread.y, here.thread.z, here.block.x, here.block.y, here.block.z);
  std::fflush(stdout);
  _exit(1);
}

void use_variables_beside(const void* code) {
  constexpr std::size_t most_bytes = 1 << 20;
  const auto visit = [](dl_phdr_info* object, std::size_t, void* wanted) {
    const auto address = reinterpret_cast<std::uintptr_t>(wanted);
    bool contains = false;
    std::uintptr_t variables = 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
      contains = contains || address - begin < part.p_memsz;
      if ((part.p_flags & PF_W) != 0 && variables == 0) variables = begin / 16 * 16;
    }
    if (contains) hf_shared_begin = reinterpret_cast<char*>(variables);
    return contains ? 1 : 0;
  };
  dl_iterate_phdr(visit, const_cast<void*>(code));
  hf_shared_end = hf_shared_begin + most_bytes;
}

}  // namespace hf::emulator
