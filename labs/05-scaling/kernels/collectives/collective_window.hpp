/// \file
/// All-reduces for ranks that share a machine: no message is sent, each rank reads and writes where others do, in memory that
/// all see, the window. Where the numbers lie in the window, each rank adds up its share and writes the sums to all.
/// Where they lie elsewhere, they pass through the window in chunks that stay in a core's cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hf::scaling {

/// What one rank shows the others, beside its numbers. Zero bytes are one that is ready.
struct WindowPart {
  static constexpr std::size_t chunk =
      1 << 15;  ///< numbers in a slot: 128 KiB, so that two stay in the L2 of most cores

  /// The first numbers share a cache line with the word that says they are there: for a few, one line travels.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> filled;  ///< the chunk that it holds, from 1
    float numbers[chunk];
  };

  alignas(64) std::atomic<std::uint64_t> met;  ///< how often this rank has come to meet the others
  Slot slots[2];                               ///< filled in turn
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "else processes cannot share it");

/// One rank's view of the window.
class WindowAllReduce {
 public:
  /// \param parts  those of all ranks, in their order, as this rank sees them
  /// \param numbers  those of all ranks that lie in the window, as this rank sees them; none where none do
  /// \param oversubscribed  there are more ranks than cores: one that waits gives its core away at once
  WindowAllReduce(int rank, std::vector<WindowPart*> parts, std::vector<float*> numbers, bool oversubscribed);

  /// Of the first `count` numbers in the window, in place. Afterwards every rank's numbers are the sums of all ranks'
  /// numbers, added in the order of the ranks. All ranks call it with as many numbers; so too below.
  void in_window(std::size_t count);

  /// Of numbers anywhere, in place.
  void anywhere(std::span<float> numbers);

 private:
  void sum_whole(std::span<float> numbers);
  void sum_shares(std::span<float> numbers);
  void show(std::span<const float> numbers);
  void meet();
  void wait_for(const std::atomic<std::uint64_t>& count, std::uint64_t enough) const;
  WindowPart::Slot& slot(std::size_t rank) const { return parts_[rank]->slots[chunks_ % 2]; }

  std::size_t rank_;
  std::vector<WindowPart*> parts_;
  std::vector<float*> numbers_;
  bool oversubscribed_;
  std::uint64_t meetings_ = 0, chunks_ = 0;  ///< that were begun
};

}  // namespace hf::scaling
