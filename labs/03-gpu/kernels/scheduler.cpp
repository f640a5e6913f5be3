#include "03-gpu/kernels/scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace hf::gpu {
namespace {

/// The same number, of which the compiler knows nothing from here on.
inline std::uint64_t in_register(std::uint64_t number) {
  asm volatile("" : "+r"(number));
  return number;
}

/// An addition for each index, independent of one another, and without a loop. Since the compiler can't know that it adds
/// zero, it can't omit one or merge two.
template <std::size_t... i>
[[gnu::always_inline]] inline void add_zero(std::uint64_t number, std::index_sequence<i...>) {
  std::uint64_t zero = 0;
  ((static_cast<void>(i), zero = in_register(zero), in_register(number + zero)), ...);
}

template <std::size_t additions, bool wait>
std::uint64_t look_up(const Line* memory, const std::uint32_t* index, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = in_register(reinterpret_cast<std::uintptr_t>(memory[index[i]].next));
    const std::uint64_t number = wait ? word : in_register(1);
    sum += number;
    add_zero(number, std::make_index_sequence<additions - 1>());
  }
  return sum;
}

template <bool wait, std::size_t... i>
constexpr std::array<Additions, sizeof...(i)> all(std::index_sequence<i...>) {
  return {look_up<addition_counts[i], wait>...};
}

constexpr auto every_count = std::make_index_sequence<addition_counts.size()>();
constexpr auto waiting = all<true>(every_count), ready = all<false>(every_count);

}  // namespace

Additions look_up_and_add(int additions, bool wait) {
  const auto found = std::find(addition_counts.begin(), addition_counts.end(), additions);
  if (found == addition_counts.end())
    throw std::invalid_argument(std::to_string(additions) + " additions are none of addition_counts");
  return (wait ? waiting : ready)[static_cast<std::size_t>(found - addition_counts.begin())];
}

}  // namespace hf::gpu
