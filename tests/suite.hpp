/// \file
/// How the environment changes tests: the weekly suite tries more cases, with its own random numbers.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace hf {

/// True if slow tests that rarely fail run too: HARDWARE_FIRST_WEEKLY=1.
inline bool weekly() { return std::getenv("HARDWARE_FIRST_WEEKLY") != nullptr; }

/// The seed of random numbers: HARDWARE_FIRST_SEED, else a constant. `CAPTURE(seed())` shows it when a test fails.
inline std::uint32_t seed() {
  const char* named = std::getenv("HARDWARE_FIRST_SEED");
  return named != nullptr ? static_cast<std::uint32_t>(std::strtoul(named, nullptr, 10)) : 1;
}

/// The cases of a test: all in the weekly suite, otherwise the first few, which matter most.
template <class Value>
std::vector<Value> first_few(std::size_t few, std::vector<Value> all) {
  if (!weekly()) all.erase(all.begin() + static_cast<std::ptrdiff_t>(few), all.end());
  return all;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A time limit, in seconds, before which something begins. A busy machine may need longer, so this calls
/// `begins_within(seconds)` with more and more seconds until it returns true.
template <class BeginsWithin>
int enough_seconds(BeginsWithin begins_within) {
  int seconds = 1;
  for (; !begins_within(seconds); seconds *= 4) REQUIRE(seconds < 1000);
  return seconds;
}

}  // namespace hf
