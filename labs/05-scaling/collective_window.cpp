#include "05-scaling/collective_window.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "harness/threads.hpp"

namespace hf::scaling {
namespace {

/// The numbers of one share: [first, first + count).
struct Share {
  Share(std::size_t numbers, std::size_t rank, std::size_t ranks)
      : first(numbers * rank / ranks), count(numbers * (rank + 1) / ranks - first) {}
  std::size_t first, count;
};

/// to[i] = the sum of all from[…][first + i], in the order of the ranks, so that it is the same wherever it is made.
template <class Pointer>
void add_up(std::span<float> to, const std::vector<Pointer>& from, std::size_t first) {
  const float *a = from[0] + first, *b = from[1] + first;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = a[i] + b[i];
  for (std::size_t rank = 2; rank < from.size(); ++rank) {
    const float* more = from[rank] + first;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
  }
}

}  // namespace

WindowAllReduce::WindowAllReduce(int rank, std::vector<WindowPart*> parts, std::vector<float*> numbers, bool crowded)
    : rank_(static_cast<std::size_t>(rank)),
      parts_(std::move(parts)),
      numbers_(std::move(numbers)),
      crowded_(crowded) {}

// [begin: in-window]
void WindowAllReduce::in_window(std::size_t count) {
  if (parts_.size() == 1) return;
  meet();                        // all numbers are there
  std::array<float, 2048> sums;  // 8 KiB, so that it stays in L1
  const Share share(count, rank_, parts_.size());
  for (std::size_t done = 0; done < share.count; done += sums.size()) {
    const std::span<float> piece = std::span(sums).first(std::min(sums.size(), share.count - done));
    add_up(piece, numbers_, share.first + done);
    for (float* const numbers : numbers_) std::ranges::copy(piece, numbers + share.first + done);
  }
  meet();  // all sums are there
}
// [end: in-window]

void WindowAllReduce::anywhere(std::span<float> numbers) {
  constexpr std::size_t few = 1024;  // below, meeting a second time takes longer than adding everything
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

// A slot is filled again two chunks later. By then nobody reads what stood there: all have met for the chunk between, and
// were done with this one.

/// Every rank adds up all.
void WindowAllReduce::sum_whole(std::span<float> numbers) {
  std::ranges::copy(numbers, my_slot());
  meet();
  add_up(numbers, slots(), 0);
}

/// Every rank adds up its share, and takes the others' sums.
void WindowAllReduce::sum_shares(std::span<float> numbers) {
  std::ranges::copy(numbers, my_slot());
  meet();
  const Share share(numbers.size(), rank_, parts_.size());
  const std::span<float> sums = numbers.subspan(share.first, share.count);
  add_up(sums, slots(), share.first);
  std::ranges::copy(sums, my_slot() + share.first);  // in place of numbers that nobody else reads
  meet();
  const std::vector<const float*> from = slots();
  for (std::size_t other = 0; other < from.size(); ++other) {
    if (other == rank_) continue;
    const Share theirs(numbers.size(), other, from.size());
    std::copy_n(from[other] + theirs.first, theirs.count, numbers.data() + theirs.first);
  }
}

std::vector<const float*> WindowAllReduce::slots() const {
  std::vector<const float*> all;
  for (const WindowPart* part : parts_) all.push_back(part->slots[chunks_ % 2]);
  return all;
}

/// Returns when all ranks have come as often: what each wrote before can be read by all.
void WindowAllReduce::meet() {
  constexpr int patience = 20000;  // looks before a rank gives its core away: some 0.1 ms
  ++meetings_;
  parts_[rank_]->met.store(meetings_, std::memory_order_release);
  for (const WindowPart* part : parts_) {
    for (int looks = 0; part->met.load(std::memory_order_acquire) < meetings_; ++looks) {
      if (crowded_ || looks > patience) {
        std::this_thread::yield();
      } else {
        pause_spinning();
      }
    }
  }
}

}  // namespace hf::scaling
