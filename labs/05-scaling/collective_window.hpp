/// \file
/// An all-reduce for ranks that share a machine: no message is sent, each rank reads where another wrote. The memory that
/// all see, the window, is small: the numbers pass through it in chunks that stay in a core's cache, so that they may lie
/// anywhere, and main memory sees them once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hf::scaling {

/// What one rank shows the others: two slots, filled in turn, and how far it has come. Zero bytes are one that is ready.
struct WindowPart {
  static constexpr std::size_t chunk = 1 << 15;  ///< numbers in a slot: 128 KiB, so that two fit the L2 of most cores

  alignas(64) std::atomic<std::uint64_t> shown;   ///< chunks that this rank has put into a slot
  alignas(64) std::atomic<std::uint64_t> summed;  ///< chunks of which this rank has summed its share
  alignas(64) float slots[2][chunk];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "else processes cannot share it");

/// One rank's view of the window.
class WindowAllReduce {
 public:
  /// \param parts  those of all ranks, in their order, as this rank sees them
  /// \param crowded  there are more ranks than cores: one that waits gives its core away at once
  WindowAllReduce(int rank, std::vector<WindowPart*> parts, bool crowded);

  /// In place: afterwards every rank's numbers are the sums of all ranks' numbers, added in the order of the ranks. All
  /// ranks call it with as many numbers.
  void operator()(std::span<float> numbers);

 private:
  void sum_whole(std::span<float> numbers);
  void sum_shares(std::span<float> numbers);
  void show(std::span<const float> numbers);
  void add_up(std::span<float> to, std::size_t first) const;
  void wait(std::atomic<std::uint64_t> WindowPart::*counter) const;
  const float* slot(std::size_t rank) const { return parts_[rank]->slots[chunks_ % 2]; }

  std::size_t rank_;
  std::vector<WindowPart*> parts_;
  bool crowded_;
  std::uint64_t chunks_ = 0;  ///< that are through
};

}  // namespace hf::scaling
