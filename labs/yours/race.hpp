/// \file
/// Races a reader's kernel against others, in calls whose inputs it has never seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/clock.hpp"
#include "harness/measure/sampling.hpp"
#include "yours/trial.hpp"

namespace hf::yours {

/// One contestant.
struct Runner {
  Variant variant;
  std::string label;  ///< "packing"
  double work;        ///< of one call: FLOPs, if the trial's unit is GFLOP/s
};

/// A variant whose calls are timed one by one: `renew()` gives each call new inputs, `check()` throws if its result is
/// wrong.
template <class Renew, class Call, class Check>
Variant fresh(std::string id, Renew renew, Call call, Check check) {
  return {std::move(id), [=](std::int64_t calls) {
            still_trying();
            double seconds = 0;
            for (std::int64_t i = 0; i < calls; ++i) {
              renew();
              const std::int64_t start = now_ns();
              call();
              clobber();
              seconds += static_cast<double>(now_ns() - start) * 1e-9;
              check();
            }
            return seconds;
          }};
}

/// The same variant with all threads of this process on one core: those that exist, and those that it starts.
Variant on_one_core(Variant variant);

/// Interleaved rounds, in each of which the roof is timed twice.
/// \param name  of the size: "N = 1000"
/// \param x  the size, as the figure's x axis shows it
/// \param roof  the id of the runner that shows how fast the machine could be
Heat race(std::string name, double x, const std::vector<Runner>& runners, const std::string& roof, int rounds);

constexpr const char* near = "in the L2";

/// Calls `heat(name, bytes, rounds)` for data that fits the L2 cache, a part of it, and for data in memory; if quick, for 8 MiB
/// instead. \param what  is raced over: "arrays" \param part_of_memory  at most this part of what is available
std::vector<Heat> race_near_and_far(
    const std::string& what, std::size_t part_of_l2, std::size_t part_of_memory, bool quick,
    const std::function<Heat(const std::string& name, std::size_t bytes, int rounds)>& heat);

}  // namespace hf::yours
