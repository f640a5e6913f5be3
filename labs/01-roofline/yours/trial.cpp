// Tries a reader's loop: is the result right, are its FLOPs and bytes those declared, and how near is the roof?
#include "yours/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/memory_roof.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/workloads.hpp"
#include "01-roofline/yours/loop.hpp"
#include "01-roofline/yours/tallied.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/number_text.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/streams/stream_runs.hpp"
#include "yours/counting.hpp"
#include "yours/guarded.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::roofline {
namespace {

using yours::GuardedArray;
using yours::Wrong;

const ReadersLoop& loop_at(void* address) { return *static_cast<const ReadersLoop*>(address); }

double count_of(std::size_t n) { return static_cast<double>(n); }

/// New numbers around 1: none is 0, and each has a root.
void renew_numbers(std::span<float> numbers, std::uint64_t sequence) { fill_random(numbers, sequence, 0.5F, 1); }

/// x and y between forbidden pages.
class Vectors {
 public:
  explicit Vectors(std::size_t n) : n_(n), x_("x", n), y_("y", n) {}

  void renew(std::uint64_t seed) {
    for (const GuardedArray* each : {&x_, &y_}) each->forbid_writes(nullptr);
    renew_numbers(x_.numbers(), 2 * seed);
    renew_numbers(y_.numbers(), 2 * seed + 1);
    x_.forbid_writes(", which is an input");
    exact_x_.assign(x_.numbers().begin(), x_.numbers().end());
    exact_y_.assign(y_.numbers().begin(), y_.numbers().end());
  }

  void run(const ReadersLoop& loop) const {
    loop.floats(n_, x_.data(), y_.data());
    y_.settle();
  }

  /// Compares y with what the same loop computes with more digits.
  /// \return the FLOPs of that
  /// \throws Wrong, with the first wrong element
  double check(const ReadersLoop& loop) {
    if (!x_.intact() || !y_.intact()) throw Wrong("writes before the begin of an array");
    const double flops = loop.tallied(n_, exact_x_.data(), exact_y_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      const Rounded& expected = exact_y_[i].rounded();
      if (!(error_share(y_.data()[i], expected) <= 1))
        yours::refuse("y[" + std::to_string(i) + "]", y_.data()[i], expected.value, "n = " + std::to_string(n_));
    }
    return flops;
  }

  std::vector<std::span<const float>> arrays() const { return {x_.numbers(), y_.numbers()}; }

 private:
  std::size_t n_;
  GuardedArray x_, y_;
  std::vector<Tallied> exact_x_, exact_y_;
};

/// Sizes around those at which vectors, unrolled loops and blocks end, then random ones.
std::vector<std::size_t> sizes_to_check() {
  std::vector<std::size_t> sizes = yours::sizes_around(yours::powers_of_two(1 << 13));
  sizes.insert(sizes.begin(), 0);
  yours::RandomSizes random;
  for (int i = 0; i < 24; ++i) sizes.push_back(random.next(3000));
  return sizes;
}

void check(void* kernel) {
  std::uint64_t seed = 1;
  for (const std::size_t n : sizes_to_check()) {
    yours::trying("n = " + std::to_string(n));
    Vectors vectors(n);
    for (int time = 0; time < 2; ++time) {  // a loop that remembers its first result is wrong the second time
      vectors.renew(seed++);
      vectors.run(loop_at(kernel));
      vectors.check(loop_at(kernel));
    }
  }
}

void require_declared(const std::string& what, double declared, double counted) {
  if (std::abs(declared - counted) <= 0.01 * counted) return;
  std::ostringstream text;
  text << "declares " << declared << ' ' << what << " for each element; counted were " << counted;
  throw Wrong(text.str());
}

/// Checks what the reader declares, and counts what the loop moves beside that.
std::vector<yours::Count> count(void* kernel) {
  constexpr std::size_t n = 1 << 19;  // more than a core's own caches hold
  const ReadersLoop& loop = loop_at(kernel);
  Vectors vectors(n);
  vectors.renew(1);
  yours::trying("n = " + std::to_string(n));
  const yours::Counted counted = yours::count([&] { vectors.run(loop); }, probe_machine(), vectors.arrays());
  require_declared("FLOPs", loop.flops, vectors.check(loop) / n);
  require_declared("bytes", loop.bytes, counted.compulsory / n);
  return {
      {"bytes per element between registers and L1",
       count_of(counted.traffic.registers_l1) / n,
       {{"declared", loop.bytes}}},
      {"bytes per element between L2 and beyond", count_of(counted.traffic.l2_beyond) / n, {{"declared", loop.bytes}}}};
}

/// x and y in memory, and y with more digits.
class Track {
 public:
  explicit Track(std::size_t n)
      : n_(n),
        x_(n * sizeof(float), Pages::huge),
        y_(n * sizeof(float), Pages::huge),
        exact_x_(n * sizeof(double), Pages::huge),
        exact_y_(n * sizeof(double), Pages::huge) {}

  /// Calls with numbers that the loop has never seen. \throws Wrong if a result is far from right
  Variant variant(const ReadersLoop& loop) {
    return yours::fresh(
        "yours", [this] { renew(); }, [this, &loop] { loop.floats(n_, x_.as<float>().data(), y_.as<float>().data()); },
        [this, &loop] { check(loop); });
  }

 private:
  void renew() {
    yours::trying("n = " + std::to_string(n_));
    renew_numbers(x_.as<float>(), 2 * seed_);
    renew_numbers(y_.as<float>(), 2 * seed_ + 1);
    ++seed_;
    std::ranges::copy(x_.as<float>(), exact_x_.as<double>().begin());
    std::ranges::copy(y_.as<float>(), exact_y_.as<double>().begin());
  }

  void check(const ReadersLoop& loop) const {
    const std::span<const double> exact = exact_y_.as<double>();
    loop.doubles(n_, exact_x_.as<double>().data(), exact_y_.as<double>().data());
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      largest = std::max(largest, std::abs(exact[i]));
      worst = std::max(worst, std::abs(static_cast<double>(y_.as<float>()[i]) - exact[i]));
    }
    if (worst > 1e-3 * largest) throw Wrong("is wrong when it is timed, though it was right when checked");
  }

  std::size_t n_;
  Buffer x_, y_, exact_x_, exact_y_;
  std::uint64_t seed_ = 1000;
};

/// What is timed beside the reader's loop: arithmetic, the streams through memory, and kernels of the chapter.
class Company {
 public:
  explicit Company(std::size_t bytes)
      : set_(*kernel_sets(probe_machine()).back()),
        bytes_(bytes),
        memory_(one_, bytes),
        matrices_(matrices_bytes(8), Pages::base),
        kernels_(workloads(set_, {memory_.of(0), bytes / sizeof(float)}, matrices_.as<float>(), 8)) {}

  /// \param intensity  at which a stream's GB/s are read as the GFLOP/s of its roof
  std::vector<yours::Runner> runners(double intensity) {
    std::vector<yours::Runner> all;
    for (const Workload& each : kernels_) {
      if (each.label == "vector add" || each.label == "softmax")
        all.push_back({timed(each.label, each.call), each.label, each.work.flops});
    }
    PeakVariant peak = peak_variant(Precision::fp32, one_);
    all.push_back({std::move(peak.variant), "peak", peak.flops});
    for (const Stream each : all_streams) {
      Variant stream = one_thread(set_.streams, each, memory_, bytes_);
      stream.id = stream_prefix + stream.id;
      all.push_back({std::move(stream), label(each), intensity * crossing_bytes(set_.streams, each, bytes_)});
    }
    return all;
  }

  static bool is_stream(const yours::Row& row) { return row.id.starts_with(stream_prefix); }

 private:
  static constexpr const char* stream_prefix = "stream ";
  const KernelSet& set_;
  std::size_t bytes_;
  Team one_{1};
  StreamMemory memory_;
  Buffer matrices_;
  std::vector<Workload> kernels_;
};

/// Puts the roof, the lower one of the peak and of the fastest stream, in place of the streams.
void find_roof(std::vector<yours::Row>& rows) {
  const auto speed = [](const yours::Row& row) { return row.speed.median; };
  std::vector<yours::Row> streams;
  std::ranges::copy_if(rows, std::back_inserter(streams), Company::is_stream);
  std::erase_if(rows, Company::is_stream);
  const yours::Row fastest = *std::ranges::max_element(streams, {}, speed);
  const yours::Row peak = *std::ranges::find(rows, "peak", &yours::Row::id);
  yours::Row roof = speed(fastest) < speed(peak) ? fastest : peak;
  roof.id = "roof";
  roof.label = "the roof at this intensity";
  rows.insert(rows.begin() + 1, std::move(roof));
  const double of_peak = rows[1].of_roof.median;
  for (yours::Row& each : rows) each.of_roof = times(each.of_roof, 1 / of_peak);
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  const ReadersLoop& loop = loop_at(kernel);
  const std::size_t bytes = quick ? std::size_t{4} << 20 : std::min(default_dram_bytes(), std::size_t{256} << 20);
  const std::size_t n = bytes / sizeof(float) / 2;
  const double intensity = loop.flops / loop.bytes;
  const Pinned pinned;
  Company company(bytes);
  Track track(n);
  std::vector<yours::Runner> runners = company.runners(intensity);
  runners.insert(runners.begin(), {track.variant(loop), "yours", loop.flops * count_of(n)});
  yours::Heat heat = yours::race(number_text(intensity) + " FLOP/byte", intensity, runners, "peak", quick ? 3 : 11);
  find_roof(heat.rows);
  if (*heat.noise <= yours::most_noise && heat.rows.front().of_roof.median > 1.5)
    throw Wrong("is faster than the roof: the loop that was timed does less than the one that was counted");
  return {heat};
}

}  // namespace
}  // namespace hf::roofline

int main(int argc, char** argv) {
  return hf::yours::run_trial({.id = "01-roofline",
                               .function = "readers_loop",
                               .check = hf::roofline::check,
                               .count = hf::roofline::count,
                               .race = hf::roofline::race,
                               .unit = "GFLOP/s"},
                              argc, argv);
}
