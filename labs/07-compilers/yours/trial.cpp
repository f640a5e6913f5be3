// Tries a reader's chain of elementwise operators.
#include "yours/trial.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/pinned.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"
#include "kit/work.hpp"
#include "yours/arrays.hpp"
#include "yours/counting.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::compilers {
namespace {

using roofline::Stream;
using yours::Place;
using yours::Role;
using Chain = void(std::size_t count, const float* x, float* first, float* second, float* y);

/// Halving is exact, so a result is rounded once, whether or not multiplication and addition are fused.
float reference(float x) { return std::max(x, 0.0f) * 0.5f + 1; }

class ReadersArrays : public yours::Arrays {
 public:
  using Kernel = Chain;

  ReadersArrays(std::size_t count, Place place)
      : Arrays(place, {{"x", count, Role::input},
                       {"first", count, Role::output},
                       {"second", count, Role::output},
                       {"y", count, Role::output}}),
        count_(count) {}

  std::string text() const { return std::to_string(count_) + (count_ == 1 ? " number" : " numbers"); }
  void run(Kernel* kernel) const { kernel(count_, data(0), data(1), data(2), data(3)); }

  /// \throws Wrong, with the first wrong element
  void check() const {
    for (std::size_t i = 0; i < count_; i += guarded() ? 1 : 1 + count_ / 500) check(i);
    if (count_ > 0) check(count_ - 1);
  }

  Variant chapters(std::string id, ByHand how) const {
    const ChainArrays arrays = {data(0), data(1), data(2), data(3), count_};
    return timed(std::move(id), [how, arrays] { chain_by_hand(how, arrays); });
  }

 private:
  void check(std::size_t i) const {
    const float expected = reference(data(0)[i]);
    if (data(3)[i] != expected) yours::refuse("y[" + std::to_string(i) + "]", data(3)[i], double{expected}, text());
  }

  std::size_t count_;
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

void check(void* kernel) { yours::check_shapes<ReadersArrays>(counts_to_check(), kernel); }

/// Bytes that cross each level for one number; the compiler does not let us see stores past the caches. Each array is
/// larger than most level-2 caches.
std::vector<yours::Count> count(void* kernel) {
  constexpr std::size_t count = 1 << 20;
  ReadersArrays arrays(count, Place::guarded);
  const Traffic counted = yours::count_call(arrays, kernel).traffic;
  const auto compare = [&](Level level, auto bytes_of) {
    std::vector<std::pair<std::string, double>> others;
    for (const ByHand how : {ByHand::three_passes, ByHand::one_pass})
      others.emplace_back(name(how), bytes_of(chain_work(how, count)) / count);
    return yours::bytes_per("number", level, ", without stores past the caches", counted, count, others);
  };
  return {compare(&Traffic::registers_l1, [](const Work& work) { return work.bytes; }),
          compare(&Traffic::l2_beyond, [](const Work& work) { return work.traffic(); })};
}

/// Interleaved rounds with arrays of `count` numbers.
yours::Heat heat(const std::string& name, std::size_t bytes, void* kernel, int rounds) {
  constexpr std::size_t unit = 1024;  // the chapter's loops take whole cache lines
  const std::size_t count = bytes / sizeof(float) / unit * unit;
  ReadersArrays arrays(count, Place::huge);
  arrays.renew();
  Team one(1);
  const roofline::StreamSet& set = *roofline::stream_sets(probe_machine()).back();
  const std::size_t copied = 2 * count * sizeof(float);
  const roofline::StreamMemory memory(one, copied);
  Variant copying = roofline::one_thread(set, Stream::copy_nontemporal, memory, copied);
  copying.id = "copying";
  const auto numbers = static_cast<double>(count);
  const double copied_numbers = roofline::pass_bytes(set, Stream::copy_nontemporal, copied) / (2 * sizeof(float));
  std::vector<yours::Runner> runners = {{yours::readers(arrays, kernel), "yours", numbers}};
  for (const auto& [id, how] : {std::pair{"three_passes", ByHand::three_passes},
                                {"one_pass", ByHand::one_pass},
                                {"one_pass_nontemporal", ByHand::one_pass_nontemporal}}) {
    runners.push_back({arrays.chapters(id, how), compilers::name(how), numbers});
  }
  runners.push_back({std::move(copying), "copying, non-temporal", copied_numbers});
  for (yours::Runner& each : runners) each.variant = pinned(std::move(each.variant));
  return yours::race(name, static_cast<double>(count * sizeof(float)) / 0x1p20, runners, "copying", rounds);
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  return yours::race_near_and_far(
      "arrays", 8, 32, quick,
      [kernel](const std::string& name, std::size_t bytes, int rounds) { return heat(name, bytes, kernel, rounds); });
}

}  // namespace
}  // namespace hf::compilers

int main(int argc, char** argv) {
  using namespace hf::compilers;
  return hf::yours::run_trial({"07-compilers", "chain", check, count, race, "billion numbers/s"}, argc, argv);
}
