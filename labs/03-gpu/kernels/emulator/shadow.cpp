#include "03-gpu/kernels/emulator/shadow.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"

// The addresses of the program's own variables: the kernels' shared variables are among them.
extern "C" char __data_start, _end;

namespace hf::emulator {
namespace {

constexpr std::size_t word_bytes = 4;
constexpr std::size_t all_global = 256 << 20, guard_bytes = 1 << 20;
constexpr std::uint16_t many = 0xffff;

struct Touch {
  std::uint32_t since_block = 0, since_warp = 0;
  std::uint16_t thread = 0;
};

struct Word {
  Touch write, read;
  std::uint32_t written_in = 0;  ///< the block that wrote; for global memory, 1 if written at all
  bool is_array = false;
};

/// System memory, zeroed, that takes no space until it is touched.
template <class T>
T* reserve(std::size_t count) {
  void* const found =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  return static_cast<T*>(found);
}

struct Global {
  std::byte* const data = reserve<std::byte>(all_global);
  Word* const words = reserve<Word>(all_global / word_bytes);
  std::uint32_t* const loaded_in = reserve<std::uint32_t>(all_global / sector_bytes);
  std::size_t used = guard_bytes;

  std::size_t offset(std::uintptr_t address) const { return address - reinterpret_cast<std::uintptr_t>(data); }
};
Global& global() {
  static Global memory;
  return memory;
}

std::uintptr_t shared_begin() { return reinterpret_cast<std::uintptr_t>(&__data_start); }
std::uintptr_t shared_end() { return reinterpret_cast<std::uintptr_t>(&_end); }

std::vector<Word>& shared_words() {
  static std::vector<Word> words((shared_end() - shared_begin()) / word_bytes + 8);
  return words;
}

/// True if no barrier separates `before` from an access at this moment, and their threads differ.
bool unordered(const Touch& before, const Moment& now) {
  if (before.since_block != now.since_block || before.thread == now.thread) return false;
  const bool same_warp = before.thread != many && before.thread / warp_threads == now.thread / warp_threads;
  return !same_warp || before.since_warp == now.since_warp;
}

std::string_view touch(Word& word, const Access& access, const Moment& now) {
  const bool shared = access.space == Space::shared, whole = access.size >= word_bytes;
  if (!shared && !word.is_array) return access.writes ? "writes outside of its arrays" : "reads outside of its arrays";
  if (!access.writes && word.written_in != (shared ? now.block : 1)) return "reads what nobody has written";
  if (whole && unordered(word.write, now))
    return access.writes ? "two threads write" : "reads what another thread writes";
  if (whole && access.writes && unordered(word.read, now)) return "writes what another thread reads";
  const Touch mine = {now.since_block, now.since_warp, now.thread};
  if (access.writes) {
    word.write = mine;
    word.written_in = shared ? now.block : 1;
  } else if (word.read.since_block != now.since_block || word.read.thread == now.thread) {
    word.read = mine;
  } else {
    word.read = {now.since_block, now.since_warp, many};
  }
  return {};
}

}  // namespace

Space space_of(std::uintptr_t address) {
  if (global().offset(address) < all_global) return Space::global;
  return address - shared_begin() < shared_end() - shared_begin() ? Space::shared : Space::none;
}

std::string_view remember(const Access& access, const Moment& now) {
  Word* const words = access.space == Space::global ? global().words : shared_words().data();
  const std::uintptr_t start =
      access.space == Space::global ? global().offset(access.address) : access.address - shared_begin();
  std::string_view wrong;
  for (std::uintptr_t at = start / word_bytes; at <= (start + access.size - 1) / word_bytes; ++at) {
    const std::string_view here = touch(words[at], access, now);
    if (wrong.empty()) wrong = here;
  }
  return wrong;
}

bool first_in_block(std::uintptr_t sector, std::uint32_t block) {
  std::uint32_t& loaded = global().loaded_in[global().offset(sector * sector_bytes) / sector_bytes];
  if (loaded == block) return false;
  loaded = block;
  return true;
}

GlobalMemory::GlobalMemory(std::size_t bytes) : bytes_(bytes) {
  Global& all = global();
  const std::size_t room = (bytes + 2 * guard_bytes - 1) / guard_bytes * guard_bytes;  // followed by an empty gap
  if (room > all_global - all.used - guard_bytes) throw std::bad_alloc();
  data_ = all.data + all.used;
  for (std::size_t at = 0; at * word_bytes < bytes; ++at) all.words[all.used / word_bytes + at].is_array = true;
  all.used += room;
}

GlobalMemory::~GlobalMemory() {
  Global& all = global();
  const std::size_t first = all.offset(reinterpret_cast<std::uintptr_t>(data_));
  std::memset(static_cast<void*>(all.words + first / word_bytes), 0,
              (bytes_ + word_bytes - 1) / word_bytes * sizeof(Word));
  const std::size_t room = (bytes_ + 2 * guard_bytes - 1) / guard_bytes * guard_bytes;
  if (first + room == all.used) all.used = first;  // the last one
}

void GlobalMemory::mark_written() const {
  Word* const first = global().words + global().offset(reinterpret_cast<std::uintptr_t>(data_)) / word_bytes;
  for (std::size_t at = 0; at * word_bytes < bytes_; ++at) first[at].written_in = 1;
}

}  // namespace hf::emulator
