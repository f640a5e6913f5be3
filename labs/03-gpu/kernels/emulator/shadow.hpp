/// \file
/// The emulator's record of memory: which addresses belong to an array, and which thread touched each word last.
#pragma once

#include <cstdint>
#include <string_view>

namespace hf::emulator {

enum class Space : std::uint8_t { none, global, shared, code };

/// One access of one thread; or, in Space::code, its entry into a basic block, with neither address nor size.
struct Access {
  std::uintptr_t address;
  const void* code;  ///< the address just after the access in the kernel's code
  std::uint8_t size;
  bool writes;
  Space space;
};

/// The running thread, as far as races are concerned: two accesses race if no barrier of the block or of their warp is
/// between them, they are by different threads, and one writes.
struct Moment {
  std::uint32_t block = 0;        ///< incremented for each block that runs
  std::uint32_t since_block = 0;  ///< incremented at each barrier of a block
  std::uint32_t since_warp = 0;   ///< incremented at each barrier of this warp
  std::uint16_t thread = 0;
};

/// The space of an address; none if it is neither global nor shared.
Space space_of(std::uintptr_t address);

/// Records an access. \return its error, if any
std::string_view remember(const Access& access, const Moment& now);

/// True if a sector of global memory is loaded for the first time in this block.
bool first_in_block(std::uintptr_t sector, std::uint32_t block);

}  // namespace hf::emulator
