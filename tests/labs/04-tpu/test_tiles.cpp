// The instruction that multiplies tiles.
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include "04-tpu/kernels/tiles.hpp"
#include "harness/machine/machine.hpp"

namespace hf::tpu {
namespace {

TEST_CASE("tiles" * doctest::skip(!can_use_tiles(probe_machine()))) {
  for (const auto& [a, b] : {std::pair{3, 5}, {255, -128}, {200, 127}})
    CHECK(tile_peak(100, static_cast<std::uint8_t>(a), static_cast<std::int8_t>(b)) == 100 * tile_depth() * a * b);
}

}  // namespace
}  // namespace hf::tpu
