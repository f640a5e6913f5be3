#include "steady_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "burst.hpp"
#include "clock.hpp"
#include "interrupt.hpp"
#include "machine.hpp"
#include "sampling.hpp"
#include "shared_array.hpp"
#include "terminal.hpp"
#include "threads.hpp"

namespace hf {
namespace {

constexpr double surely = 1.5;  // times the longest burst seen
constexpr double soon_bytes = 64 << 20;

/// An array that no cache holds, read on and on in a circle, window by window, by all cores.
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
  static constexpr std::size_t window = std::size_t{2} << 20;  // of all threads together: some 50 us

  /// Words of a thread's share of a window, a multiple of what read_words() reads at a time.
  std::size_t part_words() const {
    return window / sizeof(std::uint64_t) / static_cast<std::size_t>(team_.size()) / 16 * 16;
  }

  /// Every thread reads its own windows as long as `more(windows so far, nanoseconds so far)`, and notes when each ended.
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
    next_ = (next_ + windows_.front().size() * part_words()) % array_.part(0).size();  // where the oldest words are
  }

  Team team_;
  SharedArray array_;
  std::vector<std::vector<std::int64_t>> windows_;  ///< of each thread: when its windows ended, ns since its start
  std::size_t next_ = 0;
};

}  // namespace

SteadyMemory::SteadyMemory(const BurstSearch& how) : SteadyMemory(how, std::make_shared<EveryCore>()) {}

SteadyMemory::SteadyMemory(const BurstSearch& how, std::shared_ptr<MemoryReader> reader) {
  std::vector<std::vector<double>> spells;
  for (int spell = 0; spell < how.spells; ++spell) {
    stop_if_interrupted();
    if (how.between) how.between();
    reader->be_quiet(how.quiet_seconds);
    spells.push_back(reader->read_for(how.reading_seconds));
  }
  over_time_ = hf::over_time(spells, reader->window_bytes());
  burst_ = find_burst(spells, reader->window_bytes());
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
