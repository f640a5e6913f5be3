/// \file
/// The emulator's record of memory: which addresses belong to an array, and which thread touched each word last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hf::emulator {

enum class Space : std::uint8_t { none, global, shared, code };

/// What an access does. An atomic function reads and writes; an asynchronous copy writes later, without the thread.
enum class Does : std::uint8_t { read, write, change, copy };

/// One access of one thread; or, in Space::code, its entry into a basic block, with neither address nor size.
struct Access {
  std::uintptr_t address;
  const void* code;  ///< the address just after the access in the kernel's code
  std::uint8_t size;
  Does does;
  Space space;

  bool writes() const { return does != Does::read; }
};

/// The running thread, as far as races are concerned: two accesses race if no barrier of the block or of their warp is
/// between them, they are by different threads, one writes, and one is not atomic.
struct Moment {
  std::uint32_t block = 0;        ///< incremented for each block that runs
  std::uint32_t since_block = 0;  ///< incremented at each barrier of a block
  std::uint32_t since_warp = 0;   ///< incremented at each barrier of this warp
  std::uint16_t thread = 0;
};

/// From here on, shared variables are those of the program, or the library, that contains this code; `dynamic_bytes` follow
/// from dynamic_shared() on.
void choose_shared(const void* code, std::size_t dynamic_bytes);
std::byte* dynamic_shared();

/// The space of an address; none if it is neither global nor shared.
Space space_of(std::uintptr_t address);

/// Records an access. \return its error and the remedy, if any
std::string_view remember(const Access& access, const Moment& now);

/// The bytes that an asynchronous copy brings have arrived.
void arrive(std::uintptr_t shared_address, std::size_t bytes);

/// True if a sector of global memory is loaded for the first time in this block.
bool first_in_block(std::uintptr_t sector, std::uint32_t block);

}  // namespace hf::emulator
