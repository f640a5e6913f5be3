/// \file
/// Runs one loop on all cores. A network runs short loops by the hundred, so threads must start within a microsecond,
/// as OpenMP's do. Unlike OpenMP's, they do not wait long for each other, so another program on the machine slows a
/// loop only by the time that it takes itself.
///
/// Why not a Team (harness/measure/threads.hpp)? Its threads must all be awake at a barrier before any begins, as
/// timing requires: on two cores an empty run takes 3 µs. Here a late thread is not waited for: 0.1 µs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace hf {

/// The number of cores that share a loop: all that this process may use.
std::size_t sharing_cores();

/// Makes the calling thread run its loops alone until the end of the scope.
class OneCore {
 public:
  OneCore();
  ~OneCore();
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  bool before_;
};

namespace loop_team {

/// A loop's body: `run(body, first, last)` does the iterations [first, last).
struct Loop {
  void (*run)(const void* body, std::size_t first, std::size_t last);
  const void* body;
  std::size_t count, part;  ///< iterations in total, and per part
};

/// Runs the parts of a loop on all cores and returns when all are done. Within a loop, or while a OneCore exists, runs
/// them on this core alone.
void run(const Loop& loop);

}  // namespace loop_team

/// One core finishes fewer numbers than this before a second core has started.
constexpr std::size_t worth_sharing = 1 << 15;

/// Calls `body(first, last)`, which must not throw, for parts of [0, count), on all cores at once if the loop is long
/// enough.
/// \param cost  numbers touched per iteration
/// \param parts  parts per core: several, so that other cores can take over parts from a delayed one; one if every part
///        must wait for memory when it begins
template <class Body>
void share(std::size_t count, std::size_t cost, const Body& body, std::size_t parts = 4) {
  if (count < 2 || count * cost < worth_sharing || sharing_cores() == 1) return body(std::size_t{0}, count);
  const auto run = [](const void* of, std::size_t first, std::size_t last) {
    (*static_cast<const Body*>(of))(first, last);
  };
  const std::size_t all = parts * sharing_cores(), least = worth_sharing / 2 / std::max<std::size_t>(cost, 1);
  loop_team::run({run, &body, count, std::max({(count + all - 1) / all, least, std::size_t{1}})});
}

/// The same, calling `body(i)` for every i in [0, count).
template <class Body>
void share_each(std::size_t count, std::size_t cost, const Body& body, std::size_t parts = 4) {
  const auto each = [&body](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) body(i);
  };
  share(count, cost, each, parts);
}

}  // namespace hf
