#include <stdexcept>

#include "04-tpu/kernels/tiles.hpp"

namespace hf::tpu {

namespace {
[[noreturn]] void fail() { throw std::logic_error("tiles: this architecture has none; ask can_use_tiles() first"); }
}  // namespace

bool can_use_tiles(const Machine&) { return false; }
std::int64_t tile_depth() { fail(); }
double tile_operations() { fail(); }
std::int32_t tile_peak(std::int64_t, std::uint8_t, std::int8_t) { fail(); }

}  // namespace hf::tpu
