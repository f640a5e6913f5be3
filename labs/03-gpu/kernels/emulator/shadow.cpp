#include "03-gpu/kernels/emulator/shadow.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <string_view>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"

namespace hf::emulator {
namespace {

constexpr std::size_t word_bytes = 4;
constexpr std::size_t all_global = 256 << 20, guard_bytes = 1 << 20;
constexpr std::size_t most_dynamic = 227 << 10;  // what a block of compute capability 9.0 gets at most
constexpr std::size_t most_static = 48 << 10;    // for nvcc, on every GPU
constexpr std::uint16_t many = 0xffff;

struct Touch {
  std::uint32_t since_block = 0, since_warp = 0;
  std::uint16_t thread = 0;
  bool atomic = false;
};

struct Word {
  Touch write, read;
  std::uint32_t written_in = 0;  ///< the block that wrote; for global memory, 1 if written at all
  std::uint32_t copied_in = 0;   ///< the block in which an asynchronous copy will write
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

/// Shared memory of the running kernel, and what happened to it.
struct Shared {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::vector<Word> words = {};

  void reset(std::uintptr_t new_begin, std::size_t new_bytes) {
    if (begin == new_begin && bytes == new_bytes) return;
    *this = {new_begin, new_bytes, std::vector<Word>((new_bytes + word_bytes - 1) / word_bytes)};
  }
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

/// The variables are thread_local (cuda_words.hpp), so they lie together, apart from all others.
struct AllShared {
  Shared variables, dynamic;
  const void* code = nullptr;       ///< of the kernel
  std::uint32_t block = 0;          ///< that is counted
  std::size_t variables_words = 0;  ///< that this block has written

  /// A library's variables get their place when they are used for the first time.
  void find_variables() {
    const auto visit = [](dl_phdr_info* object, std::size_t, void* of) {
      auto& all = *static_cast<AllShared*>(of);
      bool contains = false;
      std::size_t bytes = 0;
      for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD)
          contains = contains || reinterpret_cast<std::uintptr_t>(all.code) - begin < part.p_memsz;
        if (part.p_type == PT_TLS) bytes = part.p_memsz;
      }
      if (!contains) return 0;
      const auto begin = reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data);
      all.variables.reset(begin, begin == 0 ? 0 : bytes);
      return 1;
    };
    dl_iterate_phdr(visit, this);
  }

  Word* word_at(std::uintptr_t address) {
    Shared& of = dynamic.contains(address) ? dynamic : variables;
    return of.words.data() + (address - of.begin) / word_bytes;
  }

  /// False if the block now uses more memory for its variables than there is.
  bool count_word(const Word* word, std::uint32_t now) {
    const std::less<> before;
    if (before(word, variables.words.data()) || !before(word, variables.words.data() + variables.words.size()))
      return true;
    if (block != now) variables_words = 0;
    block = now;
    return ++variables_words * word_bytes <= most_static;
  }
};
AllShared& all_shared() {
  static AllShared shared;
  return shared;
}

/// True if no barrier separates `before` from an access at this moment, their threads differ, and one is not atomic.
bool unordered(const Touch& before, bool atomic, const Moment& now) {
  if (before.since_block != now.since_block || before.thread == now.thread || (before.atomic && atomic)) return false;
  const bool same_warp = before.thread != many && before.thread / warp_threads == now.thread / warp_threads;
  return !same_warp || before.since_warp == now.since_warp;
}

/// The last touch and one at this moment, as one.
Touch joined(const Touch& before, bool atomic, const Moment& now) {
  const bool others = before.since_block == now.since_block && before.thread != now.thread;
  return {now.since_block, now.since_warp, others ? many : now.thread, atomic};
}

std::string_view race(const Word& word, const Access& access, const Moment& now) {
  if (access.size < word_bytes) return {};
  const bool atomic = access.does == Does::change;
  if (unordered(word.write, atomic, now))
    return access.writes() ? "two threads write (let one of them write, or use an atomic function)"
                           : "reads what another thread writes (is a __syncthreads() missing between them?)";
  if (access.writes() && unordered(word.read, false, now))
    return "writes what another thread reads (is a __syncthreads() missing between them?)";
  return {};
}

std::string_view touch(Word& word, const Access& access, const Moment& now) {
  const bool shared = access.space == Space::shared, atomic = access.does == Does::change;
  if (!shared && !word.is_array)
    return access.writes() ? "writes outside of its arrays (compare its indices with the sizes)"
                           : "reads outside of its arrays (compare its indices with the sizes)";
  if ((!access.writes() || atomic) && word.written_in != (shared ? now.block : 1))
    return shared ? "reads what nobody has written (is a __syncthreads() missing?)"
                  : "reads what nobody has written (store a value there first)";
  const std::string_view wrong = race(word, access, now);
  if (!wrong.empty()) return wrong;
  if (shared && word.copied_in == now.block)
    return access.writes() ? "writes where an asynchronous copy will write (wait for the copy first)"
                           : "reads what an asynchronous copy will write (wait for the copy first)";
  if (!access.writes()) {
    word.read = joined(word.read, false, now);
    return {};
  }
  word.write = joined(word.write, atomic, now);
  if (access.does == Does::copy) word.copied_in = now.block;
  const bool new_here = shared && word.written_in != now.block;
  word.written_in = shared ? now.block : 1;
  if (new_here && !all_shared().count_word(&word, now.block))
    return "the block's __shared__ variables have more than 48 KiB (make them smaller)";
  return {};
}

}  // namespace

void choose_shared(const void* code, std::size_t dynamic_bytes) {
  if (dynamic_bytes > most_dynamic) throw KernelFault("a block gets at most 227 KiB of dynamic shared memory");
  AllShared& all = all_shared();
  all.code = code;
  all.find_variables();
  all.dynamic.reset(reinterpret_cast<std::uintptr_t>(dynamic_shared()), dynamic_bytes);
}

std::byte* dynamic_shared() {
  static std::byte* const memory = reserve<std::byte>(most_dynamic);
  return memory;
}

Space space_of(std::uintptr_t address) {
  if (global().offset(address) < all_global) return Space::global;
  AllShared& all = all_shared();
  if (all.variables.bytes == 0) all.find_variables();
  return all.variables.contains(address) || all.dynamic.contains(address) ? Space::shared : Space::none;
}

std::string_view remember(const Access& access, const Moment& now) {
  const std::uintptr_t begin = access.address / word_bytes * word_bytes;
  std::string_view wrong;
  for (std::uintptr_t at = begin; at < access.address + access.size; at += word_bytes) {
    Word* const word =
        access.space == Space::global ? global().words + global().offset(at) / word_bytes : all_shared().word_at(at);
    const std::string_view here = touch(*word, access, now);
    if (wrong.empty()) wrong = here;
  }
  return wrong;
}

void arrive(std::uintptr_t shared_address, std::size_t bytes) {
  for (std::uintptr_t at = shared_address; at < shared_address + bytes; at += word_bytes)
    all_shared().word_at(at)->copied_in = 0;
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
