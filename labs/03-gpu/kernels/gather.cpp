#include "03-gpu/kernels/gather.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hf::gpu {
namespace {

std::uint64_t first_word(const Line& line) { return reinterpret_cast<std::uintptr_t>(line.next); }

}  // namespace

std::uint64_t gather(const Row* table, const std::uint32_t* index, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += digest(table[index[i]]);
  return sum;
}

// [begin: prefetch]
std::uint64_t gather_prefetched(const Row* table,
                                const std::uint32_t* index,  // which rows
                                std::size_t count, std::size_t distance) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    __builtin_prefetch(&table[index[i + distance]]);
    sum += digest(table[index[i]]);
  }
  return sum;
}
// [end: prefetch]

std::uint64_t read_lines_prefetched(std::span<const Line> memory, const std::uint32_t* index, std::size_t count,
                                    std::size_t distance) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    __builtin_prefetch(&memory[index[i + distance]]);
    sum += first_word(memory[index[i]]);
  }
  return sum;
}

}  // namespace hf::gpu
