#include "steady_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "harness/machine/machine.hpp"
#include "interrupt.hpp"
#include "number_text.hpp"
#include "results.hpp"
#include "samples.hpp"
#include "sampling.hpp"
#include "shared_array.hpp"
#include "statistics.hpp"
#include "threads.hpp"

namespace hf {
namespace {

constexpr std::size_t fewest_windows = 6;  // minimum on each side of a fall
constexpr double least_fall = 1.10;        // speed before / speed after
constexpr double falls_over_spread = 3;
constexpr double share_of_repeats = 0.75;
constexpr double same_place = 3;  // as a factor
constexpr std::size_t reach = 2;  // windows on each side in the running median

std::vector<double> slice(const std::vector<double>& values, std::size_t from, std::size_t to) {
  return {values.begin() + static_cast<std::ptrdiff_t>(from), values.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// Replaces each window by the median of the five around it: removes disturbances of one or two windows, keeps steps.
std::vector<double> running_median(std::span<const double> speeds) {
  std::vector<double> result;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const std::size_t from = i - std::min(i, reach), to = std::min(i + reach + 1, speeds.size());
    result.push_back(quantile(
        {speeds.begin() + static_cast<std::ptrdiff_t>(from), speeds.begin() + static_cast<std::ptrdiff_t>(to)}, 0.5));
  }
  return result;
}

/// Returns where to split the series so that two levels fit it best, by least squares.
std::size_t best_split(const std::vector<double>& speeds) {
  double total = 0, left = 0, most = -std::numeric_limits<double>::infinity();
  for (double speed : speeds) total += speed;
  std::size_t best = fewest_windows;
  for (std::size_t at = 1; at + fewest_windows <= speeds.size(); ++at) {
    left += speeds[at - 1];
    if (at < fewest_windows) continue;
    // The two sums squared, over their counts: the reduction of the sum of squares by the two means.
    const double n = static_cast<double>(at), m = static_cast<double>(speeds.size() - at);
    const double explained = left * left / n + (total - left) * (total - left) / m;
    if (explained > most) {
      most = explained;
      best = at;
    }
  }
  return best;
}

double spread(const std::vector<double>& values) { return quantile(values, 0.75) - quantile(values, 0.25); }

constexpr double surely = 1.5;  // times the longest burst seen
constexpr double soon_bytes = 64 << 20;

/// An array larger than any cache, read cyclically by all cores, window by window.
class EveryCore : public MemoryReader {
 public:
  EveryCore() : array_(team_, std::max(default_dram_bytes(), window)), windows_(team_.size()) {}

  double window_bytes() const override {
    return static_cast<double>(part_words() * sizeof(std::uint64_t)) * team_.size();
  }

  void be_quiet(double seconds) override {
    const std::int64_t end = now_ns() + static_cast<std::int64_t>(seconds * 1e9);
    team_.run([end](int) {
      while (now_ns() < end) pause_spinning();
    });
  }

  std::vector<double> read_for(double seconds) override {
    const auto limit = static_cast<std::int64_t>(seconds * 1e9);
    read_while([limit](std::size_t, std::int64_t elapsed_ns) { return elapsed_ns < limit; });
    std::size_t count = windows_.front().size();
    for (const auto& ends : windows_) count = std::min(count, ends.size());
    std::vector<double> gbs(count);
    for (const auto& ends : windows_) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t ns = ends[i] - (i > 0 ? ends[i - 1] : 0);
        gbs[i] += static_cast<double>(part_words() * sizeof(std::uint64_t)) /
                  static_cast<double>(std::max<std::int64_t>(ns, 1));
      }
    }
    return gbs;
  }

  void read_bytes(double bytes) override {
    const auto count = static_cast<std::size_t>(std::ceil(bytes / window_bytes()));
    read_while([count](std::size_t windows, std::int64_t) { return windows < count; });
  }

 private:
  static constexpr std::size_t window = std::size_t{2} << 20;  // for all threads together: about 50 us

  /// Words in a thread's share of a window, a multiple of the number that read_words() reads at a time.
  std::size_t part_words() const {
    return window / sizeof(std::uint64_t) / static_cast<std::size_t>(team_.size()) / 16 * 16;
  }

  /// Makes every thread read its own windows while `more(windows so far, nanoseconds so far)`, and records their ends.
  template <class More>
  void read_while(More more) {
    team_.run([&](int thread) {
      const std::span<const std::uint64_t> words = array_.part(thread);
      std::vector<std::int64_t>& ends = windows_[static_cast<std::size_t>(thread)];
      ends.clear();
      std::size_t at = next_;
      const std::int64_t start = now_ns();
      for (std::int64_t elapsed = 0; more(ends.size(), elapsed); ends.push_back(elapsed)) {
        if (at + part_words() > words.size()) at = 0;
        read_words(words.subspan(at, part_words()));
        at += part_words();
        elapsed = now_ns() - start;
      }
    });
    next_ = (next_ + windows_.front().size() * part_words()) % array_.part(0).size();  // the oldest words
  }

  Team team_;
  SharedArray array_;
  std::vector<std::vector<std::int64_t>> windows_;  ///< for each thread, the ends of its windows, ns since its start
  std::size_t next_ = 0;
};

}  // namespace

std::optional<Fall> find_fall(std::span<const double> speeds) {
  if (speeds.size() < 2 * fewest_windows) return std::nullopt;
  const std::vector<double> smooth = running_median(speeds);
  const std::size_t at = best_split(smooth);
  const std::vector<double> before = slice(smooth, 0, at), after = slice(smooth, at, smooth.size());
  const Fall fall = {at, quantile(before, 0.5), quantile(after, 0.5)};
  const double noise = std::max(spread(before), spread(after));
  if (fall.before < least_fall * fall.after) return std::nullopt;
  if (fall.before - fall.after < falls_over_spread * noise) return std::nullopt;
  return fall;
}

std::optional<Burst> find_burst(const std::vector<std::vector<double>>& repeats, double window_bytes) {
  std::vector<Fall> falls;
  std::vector<double> places;
  for (const std::vector<double>& repeat : repeats) {
    if (const std::optional<Fall> fall = find_fall(repeat)) {
      falls.push_back(*fall);
      places.push_back(static_cast<double>(fall->at));
    }
  }
  if (falls.empty()) return std::nullopt;
  const double place = quantile(places, 0.5);
  std::erase_if(falls, [&](const Fall& fall) {
    const double at = static_cast<double>(fall.at);
    return std::max(at / place, place / at) > same_place;
  });
  if (static_cast<double>(falls.size()) < share_of_repeats * static_cast<double>(repeats.size())) return std::nullopt;
  std::vector<double> before, after, bytes;
  for (const Fall& fall : falls) {
    before.push_back(fall.before);
    after.push_back(fall.after);
    bytes.push_back(static_cast<double>(fall.at) * window_bytes);
  }
  return Burst{estimate(std::move(before)), estimate(std::move(after)), estimate(std::move(bytes))};
}

const Estimate& OverTime::at(double bytes) const {
  const auto beyond = std::upper_bound(this->bytes.begin(), this->bytes.end(), bytes);
  const auto index = beyond == this->bytes.begin() ? 0 : beyond - this->bytes.begin() - 1;
  return gbs.at(static_cast<std::size_t>(index));
}

Series OverTime::series(std::string id, std::string label) const {
  Series series = {
      std::move(id), std::move(label), Kind::measured, {"read since a quiet spell", "B"}, {"bandwidth", "GB/s"}};
  for (std::size_t i = 0; i < bytes.size(); ++i) series.points.emplace_back(bytes[i], gbs[i]);
  return series;
}

OverTime over_time(const std::vector<std::vector<double>>& repeats, double window_bytes) {
  OverTime result;
  if (repeats.empty()) return result;
  std::size_t windows = repeats.front().size();
  for (const std::vector<double>& repeat : repeats) windows = std::min(windows, repeat.size());
  for (std::size_t from = 0; from < windows;) {
    const auto grown = static_cast<std::size_t>(std::ceil(static_cast<double>(from) * std::exp2(0.25)));
    const std::size_t to = std::min(std::max(grown, from + 1), windows);
    std::vector<double> speeds;
    for (const std::vector<double>& repeat : repeats) {
      double time = 0;  // in units of a window's time at 1 GB/s
      for (std::size_t i = from; i < to; ++i) time += 1 / repeat[i];
      speeds.push_back(static_cast<double>(to - from) / time);
    }
    result.bytes.push_back(static_cast<double>(to) * window_bytes);
    result.gbs.push_back(estimate(std::move(speeds)));
    from = to;
  }
  return result;
}

SteadyMemory::SteadyMemory(const BurstSearch& how) : SteadyMemory(how, std::make_shared<EveryCore>()) {}

SteadyMemory::SteadyMemory(const BurstSearch& how, std::shared_ptr<MemoryReader> reader) {
  std::vector<std::vector<double>> repeats;
  for (int repeat = 0; repeat < how.repeats; ++repeat) {
    stop_if_interrupted();
    if (how.between) how.between();
    reader->be_quiet(how.quiet_seconds);
    repeats.push_back(reader->read_for(how.reading_seconds));
  }
  over_time_ = hf::over_time(repeats, reader->window_bytes());
  burst_ = find_burst(repeats, reader->window_bytes());
  if (!burst_) return;
  drain_bytes_ = surely * *std::max_element(burst_->bytes.samples.begin(), burst_->bytes.samples.end());
  reader_ = std::move(reader);
}

const Estimate& SteadyMemory::first_gbs() const { return burst_ ? burst_->burst_gbs : over_time_.at(soon_bytes); }

const Estimate& SteadyMemory::steady_gbs() const {
  return burst_ ? burst_->steady_gbs : over_time_.at(std::numeric_limits<double>::infinity());
}

Plan SteadyMemory::memory_bound(Plan plan) const {
  if (reader_) plan.before_sample = [reader = reader_, bytes = drain_bytes_] { reader->read_bytes(bytes); };
  return plan;
}

std::string SteadyMemory::text() const {
  if (!burst_) return "";
  return "memory is rationed: " + number_text(burst_->burst_gbs.median) + " GB/s for the first " +
         capacity_text(static_cast<std::uint64_t>(burst_->bytes.median)) + " after a quiet spell, then " +
         number_text(burst_->steady_gbs.median) + " GB/s";
}

}  // namespace hf
