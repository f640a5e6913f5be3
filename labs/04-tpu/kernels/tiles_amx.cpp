#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include <immintrin.h>

#include "04-tpu/kernels/tiles.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/keep.hpp"

namespace hf::tpu {
namespace {

/// The rows and the bytes per row of each of the eight registers: here the most that AMX allows.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, first_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

}  // namespace

bool can_use_tiles(const Machine& machine) {
  if (!machine.has("amx_tile") || !machine.has("amx_int8")) return false;
  constexpr long request_permission = 0x1023, tile_data = 18;  // arch_prctl: ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

std::int64_t tile_depth() { return 64; }

double tile_operations() { return 4 * 2.0 * 16 * 16 * static_cast<double>(tile_depth()); }

std::int32_t tile_peak(std::int64_t iterations, std::uint8_t a, std::int8_t b) {
  alignas(64) std::uint8_t of_a[16 * 64];
  alignas(64) std::int8_t of_b[16 * 64];
  alignas(64) std::int32_t sums[16 * 16] = {};
  std::memset(of_a, a, sizeof of_a);
  std::memset(of_b, b, sizeof of_b);
  const TileShapes shapes;
  // The compiler does not know that the intrinsics below read memory.
  keep(of_a);
  keep(of_b);
  keep(shapes);
  _tile_loadconfig(&shapes);
  _tile_loadd(4, of_a, 64);
  _tile_loadd(5, of_b, 64);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::int64_t i = 0; i < iterations; ++i) {
    _tile_dpbusd(0, 4, 5);
    _tile_dpbusd(1, 4, 5);
    _tile_dpbusd(2, 4, 5);
    _tile_dpbusd(3, 4, 5);
  }
  _tile_stored(3, sums, 64);
  _tile_release();
  change(sums);
  return sums[0];
}

}  // namespace hf::tpu
