#include "05-scaling/collective_window.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "harness/threads.hpp"

namespace hf::scaling {

WindowAllReduce::WindowAllReduce(int rank, std::vector<WindowPart*> parts, bool crowded)
    : rank_(static_cast<std::size_t>(rank)), parts_(std::move(parts)), crowded_(crowded) {}

void WindowAllReduce::operator()(std::span<float> numbers) {
  constexpr std::size_t few = 1024;  // below, waiting a second time takes longer than adding everything
  if (parts_.size() == 1) return;
  while (!numbers.empty()) {
    const std::span<float> chunk = numbers.first(std::min(numbers.size(), WindowPart::chunk));
    if (parts_.size() == 2 || chunk.size() <= few) {
      sum_whole(chunk);
    } else {
      sum_shares(chunk);
    }
    numbers = numbers.subspan(chunk.size());
    ++chunks_;
  }
}

// [begin: window]
/// Every rank adds up all.
void WindowAllReduce::sum_whole(std::span<float> numbers) {
  show(numbers);
  wait(&WindowPart::shown);
  add_up(numbers, 0);
}

/// Every rank adds up its share, and takes the others' sums.
void WindowAllReduce::sum_shares(std::span<float> numbers) {
  const std::size_t n = parts_.size();
  const auto begin = [&](std::size_t rank) { return numbers.size() * rank / n; };
  const std::size_t first = begin(rank_), count = begin(rank_ + 1) - first;
  show(numbers);
  wait(&WindowPart::shown);
  add_up(numbers.subspan(first, count), first);
  // Into this rank's slot, in place of numbers that nobody else reads.
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), count, parts_[rank_]->slots[chunks_ % 2] + first);
  parts_[rank_]->summed.store(chunks_ + 1, std::memory_order_release);
  wait(&WindowPart::summed);
  for (std::size_t other = 0; other < n; ++other) {
    if (other != rank_)
      std::copy(slot(other) + begin(other), slot(other) + begin(other + 1), &numbers[0] + begin(other));
  }
}

/// Puts numbers into this rank's slot. Nobody still reads what stood there, two chunks ago: this rank has seen that all had
/// shown the chunk after it, so they were done with it.
void WindowAllReduce::show(std::span<const float> numbers) {
  std::ranges::copy(numbers, parts_[rank_]->slots[chunks_ % 2]);
  parts_[rank_]->shown.store(chunks_ + 1, std::memory_order_release);
}
// [end: window]

/// to[i] = the sum of all slots' number first + i, in the order of the ranks, so that it is the same wherever it is made.
void WindowAllReduce::add_up(std::span<float> to, std::size_t first) const {
  const float *a = slot(0) + first, *b = slot(1) + first;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = a[i] + b[i];
  for (std::size_t rank = 2; rank < parts_.size(); ++rank) {
    const float* more = slot(rank) + first;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
  }
}

/// Until all ranks have counted this chunk.
void WindowAllReduce::wait(std::atomic<std::uint64_t> WindowPart::*counter) const {
  constexpr int patience = 20000;  // looks before a rank gives its core away: some 0.1 ms
  for (const WindowPart* part : parts_) {
    for (int looks = 0; (part->*counter).load(std::memory_order_acquire) <= chunks_; ++looks) {
      if (crowded_ || looks > patience) {
        std::this_thread::yield();
      } else {
        pause_spinning();
      }
    }
  }
}

}  // namespace hf::scaling
