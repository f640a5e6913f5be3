/// \file
/// Sizes with which a reader's kernel is checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hf::yours {

/// Sizes that a kernel which computes blocks of these sizes cuts into whole blocks, a part of one, or both: for each block, one
/// number less, the block, one number more, and one more than two blocks. Rising, without 0.
std::vector<std::size_t> sizes_around(const std::vector<std::size_t>& blocks);

/// The powers of two from 1 to `most`.
std::vector<std::size_t> powers_of_two(std::size_t most);

/// Triples of the given sizes. In any two places, each pair of sizes occurs: so a kernel is found out that is wrong only at the
/// end of two of its blocks.
std::vector<std::array<std::size_t, 3>> triples_of(const std::vector<std::size_t>& sizes);

/// Random sizes. HARDWARE_FIRST_SEED chooses others.
class RandomSizes {
 public:
  RandomSizes();
  /// \return at least 1 and at most `most`
  std::size_t next(std::size_t most);

 private:
  std::uint64_t sequence_, index_ = 0;
};

}  // namespace hf::yours
