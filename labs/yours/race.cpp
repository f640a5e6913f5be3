#include "yours/race.hpp"

#include <sched.h>
#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "yours/trial.hpp"

namespace hf::yours {
namespace {

constexpr const char* again = "the roof again";

/// Keeps all threads of this process on the first core until the end of the scope.
class AllOnOneCore {
 public:
  AllOnOneCore() {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(usable_cores().front(), &first);
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
      const pid_t thread = std::stoi(each.path().filename());
      cpu_set_t before;
      if (sched_getaffinity(thread, sizeof before, &before) != 0) continue;  // it has just ended
      before_.emplace_back(thread, before);
      sched_setaffinity(thread, sizeof first, &first);
    }
  }
  ~AllOnOneCore() {
    for (const auto& [thread, cores] : before_) sched_setaffinity(thread, sizeof cores, &cores);
  }
  AllOnOneCore(const AllOnOneCore&) = delete;
  AllOnOneCore& operator=(const AllOnOneCore&) = delete;

 private:
  std::vector<std::pair<pid_t, cpu_set_t>> before_;
};

}  // namespace

Variant on_one_core(Variant variant) {
  return {variant.id, [seconds = std::move(variant.seconds)](std::int64_t calls) {
            const AllOnOneCore one;
            return seconds(calls);
          }};
}

Heat race(std::string name, double x, const std::vector<Runner>& runners, const std::string& roof, int rounds) {
  const Runner& roofs = *std::ranges::find(runners, roof, [](const Runner& each) { return each.variant.id; });
  std::vector<Variant> variants;
  for (const Runner& each : runners) variants.push_back(each.variant);
  variants.push_back({again, roofs.variant.seconds});
  Plan plan;
  plan.rounds = rounds;
  plan.minimum_rounds = 3;
  plan.warm_seconds = 0;  // new inputs warm the caches
  plan.budget_seconds = 2;
  const Sampling sampling = sample_interleaved(variants, plan);
  Heat heat = {std::move(name), x, {}, bootstrap_deviation(sampling.ratio(roof, again).samples)};
  for (const Runner& each : runners) {
    const std::string& id = each.variant.id;
    const Estimate of_roof = transform(sampling.ratio(roof, id),
                                       [&](double times_as_fast) { return times_as_fast * each.work / roofs.work; });
    heat.rows.push_back({id, each.label, rate(each.work, sampling.of(id)), of_roof});
  }
  return heat;
}

std::vector<Heat> race_near_and_far(
    const std::string& what, std::size_t part_of_l2, std::size_t part_of_memory, bool quick,
    const std::function<Heat(const std::string& name, std::size_t bytes, int rounds)>& heat) {
  const Machine machine = probe_machine();
  const std::size_t l2 = std::max<std::size_t>(machine.cache_bytes(2), 1 << 18);
  constexpr std::size_t least = 1 << 23;
  const std::size_t beyond =
      std::max(least, std::min(2 * machine.last_level_cache_bytes(), available_memory_bytes() / part_of_memory));
  const std::pair far = quick ? std::pair{"8 MiB", least} : std::pair{"from memory", beyond};
  std::vector<Heat> heats;
  for (const auto& [name, bytes] : {std::pair{near, l2 / part_of_l2}, far}) {
    trying(what + ", " + name);
    heats.push_back(heat(name, bytes, quick ? 3 : 11));
  }
  return heats;
}

}  // namespace hf::yours
