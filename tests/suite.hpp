/// \file
/// What the environment changes about tests: the weekly suite tries more, and with numbers of its own.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace hf {

/// Whether what takes long, and rarely fails, runs too: HARDWARE_FIRST_WEEKLY=1.
inline bool weekly() { return std::getenv("HARDWARE_FIRST_WEEKLY") != nullptr; }

/// Where random numbers begin: HARDWARE_FIRST_SEED, else always at the same place. `CAPTURE(seed())` shows it where a test fails.
inline std::uint32_t seed() {
  const char* named = std::getenv("HARDWARE_FIRST_SEED");
  return named != nullptr ? static_cast<std::uint32_t>(std::strtoul(named, nullptr, 10)) : 1;
}

/// Of what a test goes through: everything in the weekly suite, otherwise the first few, which tell the most.
template <class Value>
std::vector<Value> first_few(std::size_t few, std::vector<Value> all) {
  if (!weekly()) all.erase(all.begin() + static_cast<std::ptrdiff_t>(few), all.end());
  return all;
}

/// For what must have begun before its time is over: a busy machine may need longer to begin it. Calls `begins_within(seconds)`
/// with more and more seconds, until it has.
template <class BeginsWithin>
int enough_seconds(BeginsWithin begins_within) {
  int seconds = 1;
  for (; !begins_within(seconds); seconds *= 4) REQUIRE(seconds < 1000);
  return seconds;
}

}  // namespace hf
