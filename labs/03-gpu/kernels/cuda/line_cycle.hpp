/// \file
/// The order in which a pointer chase on the device visits its lines. Plain C++, so that it is tested without a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hf::gpu {

/// The line after each line, on one cycle through all of them: every cycle is equally likely (Sattolo's algorithm).
/// \throws std::invalid_argument for no lines, or 2^32 and more
std::vector<std::uint32_t> random_cycle(std::size_t lines, std::uint32_t seed);

/// Where so many hops along a cycle lead.
std::uint32_t follow(std::span<const std::uint32_t> next, std::uint32_t start, std::int64_t hops);

}  // namespace hf::gpu
