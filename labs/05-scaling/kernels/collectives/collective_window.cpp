#include "05-scaling/kernels/collectives/collectives.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "common/ranks/transport.hpp"
#include "harness/measure/threads.hpp"
#include "harness/measure/vector.hpp"

namespace hf::scaling {
namespace {

/// The numbers of one share: [first, first + count).
struct Share {
  Share(std::size_t numbers, std::size_t rank, std::size_t ranks)
      : first(numbers * rank / ranks), count(numbers * (rank + 1) / ranks - first) {}
  std::size_t first, count;
};

/// to[i] = a[i] + b[i]
void add_two(std::span<float> to, const float* a, const float* b) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = a[i] + b[i];
}

}  // namespace

WindowAllReduce::WindowAllReduce(int rank, std::vector<WindowPart*> parts, std::vector<float*> numbers,
                                 bool oversubscribed)
    : rank_(static_cast<std::size_t>(rank)),
      parts_(std::move(parts)),
      numbers_(std::move(numbers)),
      oversubscribed_(oversubscribed) {}

void WindowAllReduce::in_window(std::size_t count) {
  constexpr std::size_t at_once = 4, step = at_once * lanes;
  constexpr std::size_t ahead = 1024;  // numbers; prefetches lines from other cores, to be written
  if (parts_.size() == 1) return;
  meet();  // all numbers are ready
  const Share share(count, rank_, parts_.size());
  std::size_t i = share.first;
  for (; i + step <= share.first + share.count; i += step) {
    Floats sums[at_once] = {};
    for (const float* const numbers : numbers_) {
      for (std::size_t k = 0; k < at_once; ++k) {
        __builtin_prefetch(numbers + i + k * lanes + ahead, 1);
        sums[k] += load(numbers + i + k * lanes);
      }
    }
    for (float* const numbers : numbers_) {
      for (std::size_t k = 0; k < at_once; ++k) store(numbers + i + k * lanes, sums[k]);
    }
  }
  for (; i < share.first + share.count; ++i) {
    float sum = 0;
    for (const float* const numbers : numbers_) sum += numbers[i];
    for (float* const numbers : numbers_) numbers[i] = sum;
  }
  meet();  // all sums are written
}

void WindowAllReduce::anywhere(std::span<float> numbers) {
  constexpr std::size_t few = 1024;  // up to here, adding everything is faster than meeting a second time
  if (parts_.size() == 1) return;
  while (!numbers.empty()) {
    const std::span<float> chunk = numbers.first(std::min(numbers.size(), WindowPart::chunk));
    show(chunk);
    if (parts_.size() == 2 || chunk.size() <= few) {
      sum_whole(chunk);
    } else {
      sum_shares(chunk);
    }
    numbers = numbers.subspan(chunk.size());
  }
}

// A slot is refilled two chunks later. By then no rank still reads its old numbers: every rank has since filled its
// other slot, which it does only when it is done with this one.

/// Begins a chunk: returns when every rank's slot has been filled for it.
void WindowAllReduce::show(std::span<const float> numbers) {
  ++chunks_;
  std::copy_n(numbers.data(), numbers.size(), slot(rank_).numbers);
  slot(rank_).filled.store(chunks_, std::memory_order_release);
  for (std::size_t rank = 0; rank < parts_.size(); ++rank) wait_for(slot(rank).filled, chunks_);
}

/// Every rank adds all numbers in rank order. Ranks 0 and 1 start from their own, since a sum of two is the same in
/// either order.
void WindowAllReduce::sum_whole(std::span<float> numbers) {
  if (rank_ < 2) {
    add(numbers, {slot(1 - rank_).numbers, numbers.size()});
  } else {
    add_two(numbers, slot(0).numbers, slot(1).numbers);
  }
  for (std::size_t rank = 2; rank < parts_.size(); ++rank) add(numbers, {slot(rank).numbers, numbers.size()});
}

/// Every rank adds its share, and copies the others' sums.
void WindowAllReduce::sum_shares(std::span<float> numbers) {
  const Share share(numbers.size(), rank_, parts_.size());
  const std::span<float> sums = numbers.subspan(share.first, share.count);
  add_two(sums, slot(0).numbers + share.first, slot(1).numbers + share.first);
  for (std::size_t rank = 2; rank < parts_.size(); ++rank) add(sums, {slot(rank).numbers + share.first, share.count});
  std::copy_n(sums.data(), sums.size(),
              slot(rank_).numbers + share.first);  // overwrites numbers that no other rank reads
  meet();
  for (std::size_t other = 0; other < parts_.size(); ++other) {
    if (other == rank_) continue;
    const Share theirs(numbers.size(), other, parts_.size());
    std::copy_n(slot(other).numbers + theirs.first, theirs.count, numbers.data() + theirs.first);
  }
}

/// Returns when all ranks have called it equally often. Everything that a rank wrote before is then visible to all.
void WindowAllReduce::meet() {
  ++meetings_;
  parts_[rank_]->met.store(meetings_, std::memory_order_release);
  for (const WindowPart* part : parts_) wait_for(part->met, meetings_);
}

/// Returns when `count` has reached `enough`.
void WindowAllReduce::wait_for(const std::atomic<std::uint64_t>& count, std::uint64_t enough) const {
  constexpr int patience = 20000;  // looks before a rank yields its core: about 0.1 ms
  for (int looks = 0; count.load(std::memory_order_acquire) < enough; ++looks) {
    if (oversubscribed_ || looks > patience) {
      std::this_thread::yield();
    } else {
      pause_spinning();
    }
  }
}

}  // namespace hf::scaling
