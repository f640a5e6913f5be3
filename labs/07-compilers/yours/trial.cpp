// Tries a reader's chain of elementwise operators.
#include "yours/trial.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/pinned.hpp"
#include "kit/random.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"
#include "kit/work.hpp"
#include "yours/counting.hpp"
#include "yours/guarded.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::compilers {
namespace {

using roofline::Stream;
using yours::GuardedArray;
using yours::Wrong;
using Chain = void(std::size_t count, const float* x, float* first, float* second, float* y);

std::string text(std::size_t count) { return std::to_string(count) + (count == 1 ? " number" : " numbers"); }

/// Halving is exact, so a result is rounded once, whether or not multiplication and addition are fused.
float reference(float x) { return std::max(x, 0.0f) * 0.5f + 1; }

/// \throws Wrong if y[i] is
void check_number(std::span<const float> x, std::span<const float> y, std::size_t i) {
  if (y[i] == reference(x[i])) return;
  yours::refuse("y[" + std::to_string(i) + "]", y[i], double{reference(x[i])}, text(x.size()));
}

/// An input between forbidden pages, and poisoned outputs.
class Arrays {
 public:
  explicit Arrays(std::size_t count)
      : x_("x", count), first_("first", count), second_("second", count), y_("y", count) {}

  /// New random numbers in x, and NaN in the others.
  void renew(std::uint64_t seed) const {
    for (const GuardedArray* each : {&x_, &y_}) each->forbid_writes(nullptr);
    fill_random(x_.numbers(), seed);
    for (const GuardedArray* each : {&first_, &second_, &y_}) {
      std::ranges::fill(each->numbers(), std::numeric_limits<float>::quiet_NaN());
    }
    x_.forbid_writes(", which is an input");
  }

  void run(Chain* kernel) const {
    kernel(x_.size(), x_.data(), first_.data(), second_.data(), y_.data());
    y_.settle();
  }

  /// \throws Wrong, with the first wrong element
  void check() const {
    for (const GuardedArray* each : {&x_, &first_, &second_, &y_}) {
      if (!each->intact()) throw Wrong("writes before the begin of an array");
    }
    for (std::size_t i = 0; i < x_.size(); ++i) check_number(x_.numbers(), y_.numbers(), i);
  }

 private:
  GuardedArray x_, first_, second_, y_;
};

/// Counts around those at which registers, lines and blocks end, random ones, and larger ones than a cache.
std::vector<std::size_t> counts_to_check() {
  std::vector<std::size_t> counts = yours::sizes_around(yours::powers_of_two(1 << 16));
  counts.insert(counts.begin(), 0);
  yours::RandomSizes random;
  for (int i = 0; i < 16; ++i) counts.push_back(random.next(3000));
  counts.push_back((1 << 20) + 5);
  return counts;
}

void check(void* kernel) {
  std::uint64_t seed = 1;
  for (const std::size_t count : counts_to_check()) {
    yours::trying(text(count));
    const Arrays arrays(count);
    for (int time = 0; time < 2; ++time) {  // a kernel that remembers its first result is wrong the second time
      arrays.renew(seed++);
      arrays.run(reinterpret_cast<Chain*>(kernel));
      arrays.check();
    }
  }
}

/// Bytes that cross each level for one number; the compiler does not let us see stores past the caches. Each array is
/// larger than most level-2 caches.
std::vector<yours::Count> count(void* kernel) {
  constexpr std::size_t count = 1 << 20;
  const Arrays arrays(count);
  arrays.renew(1);
  yours::trying(text(count));
  const Traffic counted = yours::count([&] { arrays.run(reinterpret_cast<Chain*>(kernel)); }, probe_machine()).traffic;
  const auto each = [&](double bytes) { return bytes / static_cast<double>(count); };
  const auto compare = [&](const std::string& where, std::uint64_t bytes, auto bytes_of) -> yours::Count {
    std::vector<std::pair<std::string, double>> others;
    for (const ByHand how : {ByHand::three_passes, ByHand::one_pass}) {
      others.emplace_back(name(how), each(bytes_of(chain_work(how, count))));
    }
    return {"bytes per number between " + where + ", without stores past the caches", each(static_cast<double>(bytes)),
            others};
  };
  return {compare("registers and L1", counted.registers_l1, [](const Work& work) { return work.bytes; }),
          compare("L2 and beyond", counted.l2_beyond, [](const Work& work) { return work.traffic(); })};
}

/// Arrays as the lab has them.
class Track {
 public:
  explicit Track(std::size_t count) : count_(count) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      memory_.emplace_back(count * sizeof(float), Pages::huge);
      fill_random(numbers(i), i);
    }
  }

  /// The reader's loop, each time with numbers that it has never seen. \throws Wrong if a result is wrong
  Variant readers(Chain* kernel) {
    return yours::fresh(
        "yours", [this] { renew(); }, [this, kernel] { kernel(count_, at(0), at(1), at(2), at(3)); },
        [this] { check(); });
  }

  Variant chapters(std::string id, ByHand how) const {
    const ChainArrays arrays = {at(0), at(1), at(2), at(3), count_};
    return timed(std::move(id), [how, arrays] { chain_by_hand(how, arrays); });
  }

 private:
  std::span<float> numbers(std::size_t i) const { return memory_[i].as<float>(); }
  float* at(std::size_t i) const { return numbers(i).data(); }

  void renew() {
    fill_random(numbers(0), seed_++);
    std::ranges::fill(numbers(3), std::numeric_limits<float>::quiet_NaN());
  }

  void check() const {
    for (std::size_t i = 0; i < count_; i += 1 + count_ / 500) check_number(numbers(0), numbers(3), i);
    check_number(numbers(0), numbers(3), count_ - 1);
  }

  std::size_t count_;
  std::vector<Buffer> memory_;  ///< x, first, second, y
  std::uint64_t seed_ = 1000;
};

/// Interleaved rounds with arrays of `count` numbers.
yours::Heat heat(const std::string& name, std::size_t count, Chain* kernel, int rounds) {
  Track track(count);
  Team one(1);
  const roofline::StreamSet& set = *roofline::stream_sets(probe_machine()).back();
  const std::size_t copied = 2 * count * sizeof(float);
  const roofline::StreamMemory memory(one, copied);
  Variant copying = roofline::one_thread(set, Stream::copy_nontemporal, memory, copied);
  copying.id = "copying";
  const auto numbers = static_cast<double>(count);
  const double copied_numbers = roofline::pass_bytes(set, Stream::copy_nontemporal, copied) / (2 * sizeof(float));
  std::vector<yours::Runner> runners = {{track.readers(kernel), "yours", numbers}};
  for (const auto& [id, how] : {std::pair{"three_passes", ByHand::three_passes},
                                {"one_pass", ByHand::one_pass},
                                {"one_pass_nontemporal", ByHand::one_pass_nontemporal}}) {
    runners.push_back({track.chapters(id, how), compilers::name(how), numbers});
  }
  runners.push_back({std::move(copying), "copying, non-temporal", copied_numbers});
  for (yours::Runner& each : runners) each.variant = pinned(std::move(each.variant));
  return yours::race(name, static_cast<double>(count * sizeof(float)) / 0x1p20, runners, "copying", rounds);
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  constexpr std::size_t unit = 1024;  // the chapter's loops take whole cache lines
  const Machine machine = probe_machine();
  const std::size_t l2 = std::max<std::size_t>(machine.cache_bytes(2), 1 << 18);
  constexpr std::size_t least = 1 << 23;
  const std::size_t beyond =
      std::max(least, std::min(2 * machine.last_level_cache_bytes(), available_memory_bytes() / 32));
  const auto largest = quick ? std::pair{"8 MiB", least} : std::pair{"from memory", beyond};
  std::vector<yours::Heat> heats;
  for (const auto& [name, bytes] : {std::pair{"in the L2", l2 / 8}, largest}) {
    yours::trying(std::string("arrays, ") + name);
    const std::size_t count = bytes / sizeof(float) / unit * unit;
    heats.push_back(heat(name, count, reinterpret_cast<Chain*>(kernel), quick ? 3 : 11));
  }
  return heats;
}

}  // namespace
}  // namespace hf::compilers

int main(int argc, char** argv) {
  return hf::yours::run_trial({.id = "07-compilers",
                               .function = "chain",
                               .check = hf::compilers::check,
                               .count = hf::compilers::count,
                               .race = hf::compilers::race,
                               .unit = "billion numbers/s"},
                              argc, argv);
}
