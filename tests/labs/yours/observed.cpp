#include "labs/yours/observed.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hf::observed {
namespace {

constexpr int order = __ATOMIC_SEQ_CST;

/// Calls `note(atomic result, plain result)` after each operation.
template <class Number, class Note>
void take_steps(const Note& note) {
  const auto bits = static_cast<Number>(0x5a5a5a5a5a5a5a5a), more = static_cast<Number>(0x3c);
  Number atomic = 7, plain = 7;
  const auto step = [&](Number got, Number expected) {
    note(got, expected);
    note(__atomic_load_n(&atomic, order), plain);
  };
  const auto compare = [&](bool weak, Number& expected, Number desired) -> Number {
    return weak ? __atomic_compare_exchange_n(&atomic, &expected, desired, true, order, order)
                : __atomic_compare_exchange_n(&atomic, &expected, desired, false, order, order);
  };
  __atomic_store_n(&atomic, plain = bits, order);
  note(__atomic_load_n(&atomic, order), plain);
  step(__atomic_exchange_n(&atomic, more, order), std::exchange(plain, more));
  step(__atomic_fetch_add(&atomic, bits, order), std::exchange(plain, static_cast<Number>(plain + bits)));
  step(__atomic_fetch_sub(&atomic, more, order), std::exchange(plain, static_cast<Number>(plain - more)));
  step(__atomic_fetch_or(&atomic, more, order), std::exchange(plain, static_cast<Number>(plain | more)));
  step(__atomic_fetch_xor(&atomic, bits, order), std::exchange(plain, static_cast<Number>(plain ^ bits)));
  step(__atomic_fetch_nand(&atomic, more, order), std::exchange(plain, static_cast<Number>(~(plain & more))));
  step(__atomic_fetch_and(&atomic, bits, order), std::exchange(plain, static_cast<Number>(plain & bits)));
  for (const bool weak : {false, true}) {
    auto expected = static_cast<Number>(plain + 1);
    step(compare(weak, expected, 0), 0);  // it is another number
    step(expected, plain);                // which is now known
    const auto next = static_cast<Number>(plain * 3);
    while (compare(weak, expected, next) == 0) {  // a weak one may fail
    }
    step(1, std::exchange(plain, next) == expected);
  }
  __atomic_thread_fence(order);
  __atomic_signal_fence(order);
}

}  // namespace

void add(const float* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

Steps atomic_steps(int bits) {
  Steps steps;
  const auto note = [&](Wide atomic, Wide plain) {
    steps.atomic.push_back(atomic);
    steps.plain.push_back(plain);
  };
  switch (bits) {
    case 8: take_steps<std::uint8_t>(note); break;
    case 16: take_steps<std::uint16_t>(note); break;
    case 32: take_steps<std::uint32_t>(note); break;
    case 64: take_steps<std::uint64_t>(note); break;
    case 128: take_steps<Wide>(note); break;
    default: break;
  }
  return steps;
}

void increment(std::uint64_t& number, int times) {
  for (int i = 0; i < times; ++i) __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);
}

void shift(Wide& number, int times) {
  constexpr Wide one = (~Wide{0} << 64) + 1;
  Wide seen = __atomic_load_n(&number, order);
  for (int i = 0; i < times; ++i) {
    while (!__atomic_compare_exchange_n(&number, &seen, seen + one, true, order, order)) {
    }
  }
}

void load_once(std::uint32_t& number) { __atomic_load_n(&number, __ATOMIC_ACQUIRE); }
void store_once(std::uint32_t& number) { __atomic_store_n(&number, 1, __ATOMIC_RELEASE); }
void add_once(std::uint32_t& number) { __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED); }

}  // namespace hf::observed
