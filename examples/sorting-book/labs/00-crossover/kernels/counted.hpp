/// \file
/// A number that counts its comparisons and moves.
#pragma once

#include <cstdint>

namespace sorting {

// [begin: counted]
struct Counted {
  int value = 0;
  inline static std::int64_t comparisons = 0, moves = 0;

  Counted(int v = 0) : value(v) {}
  Counted(const Counted& from) : value(from.value) { ++moves; }
  Counted& operator=(const Counted& from) {
    value = from.value;
    ++moves;
    return *this;
  }
  friend bool operator<(const Counted& a, const Counted& b) {
    ++comparisons;
    return a.value < b.value;
  }
};
// [end: counted]

}  // namespace sorting
