/// \file
/// What the emulator remembers of memory: which addresses are an array's, and who touched each word last.
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

/// Who runs, as far as races are concerned: two accesses race when neither a barrier of the block nor one of their warp lies
/// between them, they are of different threads, and one writes.
struct Moment {
  std::uint32_t block = 0;        ///< one more for each block that runs
  std::uint32_t since_block = 0;  ///< one more at each barrier of a block
  std::uint32_t since_warp = 0;   ///< one more at each barrier of this warp
  std::uint16_t thread = 0;
};

/// Where an address lies; none where it is neither global nor shared.
Space space_of(std::uintptr_t address);

/// Remembers an access. \return what is wrong with it, or nothing
std::string_view remember(const Access& access, const Moment& now);

/// Whether a sector of global memory is loaded for the first time in this block.
bool first_in_block(std::uintptr_t sector, std::uint32_t block);

}  // namespace hf::emulator
