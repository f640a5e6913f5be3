/// \file
/// A small cache simulator, and a number that reports to it each address that it is read from or written to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sorting {

// [begin: cache]
/// Counts the lines that a cache fetches. In each set, the most
/// recently used line is first.
class Cache {
 public:
  static constexpr std::size_t line_bytes = 64, ways = 8;

  explicit Cache(std::uint64_t bytes)
      : sets_(std::max<std::uint64_t>(1, bytes / (line_bytes * ways))),  // >= 1
        lines_(sets_ * ways) {}

  /// \return whether the line had to be fetched
  bool touch(std::uint64_t line) {
    auto* set = &lines_[line % sets_ * ways];
    auto* place = std::find(set, set + ways, line);
    const bool fetched = place == set + ways;
    if (fetched) --place;  // the least recently used line goes
    std::move_backward(set, place, place + 1);
    *set = line;
    fetched_ += fetched;
    return fetched;
  }

  std::int64_t fetched() const { return fetched_; }

 private:
  std::uint64_t sets_;
  std::vector<std::uint64_t> lines_;
  std::int64_t fetched_ = 0;
};
// [end: cache]

// [begin: traced]
/// A number of 4 bytes. Each read and write asks L1 for its line, and a miss asks L2.
struct Traced {
  int value = 0;
  inline static Cache *l1 = nullptr, *l2 = nullptr;

  Traced(int v = 0) : value(v) {}
  Traced(const Traced& from) : value(from.value) { report(from), report(*this); }
  Traced& operator=(const Traced& from) {
    report(from), report(*this);
    value = from.value;
    return *this;
  }
  friend bool operator<(const Traced& a, const Traced& b) {
    report(a), report(b);
    return a.value < b.value;
  }

  static void report(const Traced& number) {
    if (l1 == nullptr) return;
    const auto line = reinterpret_cast<std::uintptr_t>(&number) / Cache::line_bytes;
    if (l1->touch(line)) l2->touch(line);
  }
};
// [end: traced]

}  // namespace sorting
