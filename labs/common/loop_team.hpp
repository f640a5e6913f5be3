/// \file
/// All cores at one loop. Short loops follow each other by the hundred in a network, so threads must be there within a
/// microsecond, as those of OpenMP are; but these do not wait long for each other, so that another program on the
/// machine costs its own time and not a multiple of it.
///
/// Why not a Team (harness/measure/threads.hpp)? Its threads must all be awake, at a barrier, before any begins, as what is timed
/// needs it: on two cores an empty run takes 3 µs. Here whoever comes too late is not waited for: 0.1 µs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace hf {

/// How many cores share a loop: all that this process may use.
std::size_t sharing_cores();

/// Until the end of its scope, loops that the calling thread begins run on it alone.
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
  std::size_t count, part;  ///< iterations in all, and at a time
};

/// Runs the parts of a loop on all cores and returns when all are done. From within a loop, or where there is a OneCore: on
/// this core alone.
void run(const Loop& loop);

}  // namespace loop_team

/// Fewer numbers than this are done before a second core has begun.
constexpr std::size_t worth_sharing = 1 << 15;

/// Calls `body(first, last)`, which must not throw, for parts of [0, count), on all cores at the same time where the loop
/// is worth it.
/// \param cost  of an iteration, in numbers touched
/// \param parts  for each core: several, so that a core that was held up leaves some to the others; one where every part
///        that begins has to wait for memory
template <class Body>
void share(std::size_t count, std::size_t cost, const Body& body, std::size_t parts = 4) {
  if (count < 2 || count * cost < worth_sharing || sharing_cores() == 1) return body(std::size_t{0}, count);
  const auto run = [](const void* of, std::size_t first, std::size_t last) {
    (*static_cast<const Body*>(of))(first, last);
  };
  const std::size_t all = parts * sharing_cores(), least = worth_sharing / 2 / std::max<std::size_t>(cost, 1);
  loop_team::run({run, &body, count, std::max({(count + all - 1) / all, least, std::size_t{1}})});
}

/// Calls `body(i)` for every i in [0, count), in the same way.
template <class Body>
void share_each(std::size_t count, std::size_t cost, const Body& body, std::size_t parts = 4) {
  const auto each = [&body](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) body(i);
  };
  share(count, cost, each, parts);
}

}  // namespace hf
