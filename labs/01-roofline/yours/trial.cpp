// Tries a reader's loop: is the result right, are its FLOPs and bytes those declared, and how near is the roof?
#include "yours/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>
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
#include "kit/cache_simulator.hpp"
#include "kit/observed_traffic.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/streams/stream_runs.hpp"
#include "yours/arrays.hpp"
#include "yours/counting.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::roofline {
namespace {

using yours::Place;
using yours::Role;
using yours::Wrong;

const ReadersLoop& loop_at(void* address) { return *static_cast<const ReadersLoop*>(address); }

/// x and y, and both with more digits.
template <class Exact>
class Vectors : public yours::Arrays {
 public:
  using Kernel = const ReadersLoop;

  Vectors(std::size_t n, Place place)
      : Arrays(place, {{"x", n, Role::input}, {"y", n, Role::updated}}), n_(n), exact_x_(n), exact_y_(n) {}

  std::string text() const { return "n = " + std::to_string(n_); }

  void renew() {
    Arrays::renew();
    std::ranges::copy(numbers(0), exact_x_.begin());
    std::ranges::copy(numbers(1), exact_y_.begin());
  }

  void run(Kernel* loop) {
    loop_ = loop;
    loop->floats(n_, data(0), data(1));
  }

  /// Compares y with what the same loop computes with more digits.
  /// \return the FLOPs of that, if they are tallied
  double check() {
    if constexpr (std::is_same_v<Exact, Tallied>) {
      const double flops = loop_->tallied(n_, exact_x_.data(), exact_y_.data());
      for (std::size_t i = 0; i < n_; ++i) {
        const Rounded& expected = exact_y_[i].rounded();
        if (!(error_share(numbers(1)[i], expected) <= 1)) refuse(i, expected.value);
      }
      return flops;
    } else {
      loop_->doubles(n_, exact_x_.data(), exact_y_.data());
      double largest = 0;
      for (const double each : exact_y_) largest = std::max(largest, std::abs(each));
      for (std::size_t i = 0; i < n_; ++i) {
        if (!(std::abs(numbers(1)[i] - exact_y_[i]) <= 1e-3 * largest)) refuse(i, exact_y_[i]);
      }
      return 0;
    }
  }

 private:
  /// Numbers around 1: none is 0, and each has a root.
  void fill(std::size_t i) override { fill_random(numbers(i), sequence(i), 0.5F, 1); }

  void refuse(std::size_t i, double expected) const {
    yours::refuse("y[" + std::to_string(i) + "]", numbers(1)[i], expected, text());
  }

  std::size_t n_;
  std::vector<Exact> exact_x_, exact_y_;
  Kernel* loop_ = nullptr;
};

/// Sizes around those at which vectors, unrolled loops and blocks end, then random ones.
std::vector<std::size_t> sizes_to_check() {
  std::vector<std::size_t> sizes = yours::sizes_around(yours::powers_of_two(1 << 13));
  sizes.insert(sizes.begin(), 0);
  yours::RandomSizes random;
  for (int i = 0; i < 24; ++i) sizes.push_back(random.next(3000));
  return sizes;
}

void check(void* kernel) { yours::check_shapes<Vectors<Tallied>>(sizes_to_check(), kernel); }

void require_declared(const std::string& what, double declared, double counted) {
  if (std::abs(declared - counted) <= 0.01 * counted) return;
  std::ostringstream text;
  text << "declares " << declared << ' ' << what << " for each element, but " << counted << " were counted";
  throw Wrong(text.str());
}

/// Checks what the reader declares, and counts what the loop moves beside that.
std::vector<yours::Count> count(void* kernel) {
  constexpr std::size_t n = 1 << 19;  // more than a core's own caches hold
  const ReadersLoop& loop = loop_at(kernel);
  Vectors<Tallied> vectors(n, Place::guarded);
  const Observed counted = yours::count_call(vectors, kernel);
  require_declared("FLOPs", loop.flops, vectors.check() / n);
  require_declared("bytes", loop.bytes, counted.compulsory / n);
  const auto row = [&](Level level) {
    return yours::bytes_per("element", level, "", counted.traffic, n, {{"declared", loop.bytes}});
  };
  return {row(&Traffic::registers_l1), row(&Traffic::l2_beyond)};
}

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
  Vectors<double> vectors(n, Place::huge);
  std::vector<yours::Runner> runners = company.runners(intensity);
  runners.insert(runners.begin(), {yours::readers(vectors, kernel), "yours", loop.flops * static_cast<double>(n)});
  yours::Heat heat = yours::race(number_text(intensity) + " FLOP/byte", intensity, runners, "peak", quick ? 3 : 11);
  find_roof(heat.rows);
  if (*heat.noise <= yours::most_noise && heat.rows.front().of_roof.median > 1.5)
    throw Wrong("is faster than the roof: the loop that was timed does less than the one that was counted");
  return {heat};
}

}  // namespace
}  // namespace hf::roofline

int main(int argc, char** argv) {
  using namespace hf::roofline;
  return hf::yours::run_trial({"01-roofline", "readers_loop", check, count, race, "GFLOP/s"}, argc, argv);
}
