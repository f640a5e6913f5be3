/// \file
/// The blocks in which the chapter's products compute, which depend on the machine's registers and caches.
#pragma once

#include <cstddef>
#include <vector>

namespace hf::matmul {

/// Sizes of the tiles of c that are kept in registers, and the depth of a block.
std::vector<std::size_t> small_blocks();

/// Sizes of the blocks that are kept in a cache.
std::vector<std::size_t> large_blocks();

}  // namespace hf::matmul
