#include <cstdint>

#include "04-tpu/kernels/tiles.hpp"

namespace hf::tpu {
namespace {

/// Returns the bytes of a vector in streaming mode, which depend on the machine.
std::int64_t vector_bytes() {
  std::int64_t bytes = 0;
  asm(".arch_extension sme\n\t"
      "rdsvl %0, #1"
      : "=r"(bytes));
  return bytes;
}

}  // namespace

bool can_use_tiles(const Machine& machine) { return machine.has("sme"); }

std::int64_t tile_depth() { return 4; }

double tile_operations() {
  const auto side = static_cast<double>(vector_bytes() / 4);
  return 4 * 2.0 * side * side * static_cast<double>(tile_depth());
}

// smstart and smstop both clear the vector and predicate registers, so everything between them is one asm block that
// declares them all clobbered.
std::int32_t tile_peak(std::int64_t iterations, std::uint8_t a, std::int8_t b) {
  std::int32_t sum = 0;
  asm volatile(
      ".arch_extension sme\n\t"
      "smstart\n\t"
      "ptrue p0.b\n\t"
      "mov z0.b, %w[a]\n\t"
      "mov z1.b, %w[b]\n\t"
      "zero {za}\n\t"
      "cbz %[iterations], 2f\n"
      "1:\n\t"
      "usmopa za0.s, p0/m, p0/m, z0.b, z1.b\n\t"
      "usmopa za1.s, p0/m, p0/m, z0.b, z1.b\n\t"
      "usmopa za2.s, p0/m, p0/m, z0.b, z1.b\n\t"
      "usmopa za3.s, p0/m, p0/m, z0.b, z1.b\n\t"
      "subs %[iterations], %[iterations], #1\n\t"
      "b.ne 1b\n"
      "2:\n\t"
      "mov w12, #0\n\t"
      "mov z2.s, p0/m, za3h.s[w12, 0]\n\t"
      "lastb %w[sum], p0, z2.s\n\t"
      "smstop"
      : [sum] "=&r"(sum), [iterations] "+&r"(iterations)
      : [a] "r"(a), [b] "r"(b)
      : "w12", "cc", "memory", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13",
        "p14", "p15", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
        "v31");
  return sum;
}

}  // namespace hf::tpu
