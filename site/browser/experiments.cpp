// Chapter 01's experiments behind names that a page's script can call: the labs' own kernels, compiled to WebAssembly.
//
// A browser hides the machine's vector width and page size, so this does less than lab 01: 128-bit registers, one
// thread, and memory laid out by the script. Sizes are doubles, because JavaScript has no other number. Lab 01 also
// runs this module in a browser, to see what that costs.
#include <cstddef>
#include <cstdint>
#include <span>

#include "01-roofline/kernels/peak.hpp"
#include "02-matmul/kernels/rung_loops.hpp"
#include "03-gpu/kernels/chases.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/measure/vector.hpp"
#include "kit/random.hpp"
#include "kit/streams/chase.hpp"
#include "kit/streams/stream.hpp"

namespace hf {

void stop_if_interrupted() {}  // to stop this, end its worker

namespace {

using matmul::Size;
using roofline::Line;

constexpr int most_chases = 16;
Line* lines;
std::size_t lines_in_cycle;
const Line* positions[most_chases];

template <int... counts>
void follow(int count, std::int64_t hops) {
  ((count == counts ? gpu::chase_together<counts>(positions, hops) : void()), ...);
}

}  // namespace
}  // namespace hf

using namespace hf;

#define EXPORT(name) __attribute__((export_name(#name))) extern "C"

/// The loops of independent multiplications and additions: one number at a time, four, and four in one fused
/// instruction if this module may use it; with as many chains as the registers of x86-64 or AArch64 can hold.
/// \return one lane of the sum of the chains
EXPORT(peak) double peak(int loop, int chains, double iterations, double factor, double addend) {
  const auto n = static_cast<std::int64_t>(iterations);
  switch (loop + (chains == 24 ? 3 : 0)) {
    case 0: return roofline::multiply_add<float, false, 12>(n, factor, addend);
    case 1: return roofline::multiply_add<Floats, false, 12>(n, factor, addend);
    case 3: return roofline::multiply_add<float, false, 24>(n, factor, addend);
    case 4: return roofline::multiply_add<Floats, false, 24>(n, factor, addend);
#if defined(__wasm_relaxed_simd__)
    case 2: return roofline::multiply_add<Floats, true, 12>(n, factor, addend);
    case 5: return roofline::multiply_add<Floats, true, 24>(n, factor, addend);
#endif
    default: return 0;
  }
}

EXPORT(fill) void fill(float* to, double count) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) to[i] = random_number(0, i);
}

EXPORT(read) void read(const float* from, double count, double passes) {
  roofline::read(from, static_cast<std::size_t>(count), static_cast<std::int64_t>(passes));
}

EXPORT(copy) void copy(float* to, const float* from, double count, double passes) {
  roofline::copy<false>(to, from, static_cast<std::size_t>(count), static_cast<std::int64_t>(passes));
}

/// Starts a random cycle through memory, or makes it longer.
EXPORT(grow) void grow(Line* memory, double count) {
  if (lines != memory || count < static_cast<double>(lines_in_cycle)) {
    lines = memory;
    lines->next = lines;
    lines_in_cycle = 1;
    for (const Line*& each : positions) each = lines;
  }
  roofline::add_to_cycle([](std::size_t i) -> Line& { return lines[i]; }, lines_in_cycle,
                         static_cast<std::size_t>(count));
  lines_in_cycle = static_cast<std::size_t>(count);
}

/// Starts the chases at places far from each other.
EXPORT(spread) void spread() {
  for (int i = 0; i < most_chases; ++i)
    positions[i] = lines + lines_in_cycle / most_chases * static_cast<std::size_t>(i);
}

/// Follows the cycle with several chases at a time.
/// \return the position of the first
EXPORT(chase) const Line* chase(int count, double hops) {
  follow<1, 2, 4, 8, 16>(count, static_cast<std::int64_t>(hops));
  return positions[0];
}

/// The first `rows` rows of the product of two n × n matrices, by the definition or in tiles.
EXPORT(multiply) void multiply(int tiled, double rows, double side, const float* a, const float* b, float* c) {
  const auto m = static_cast<Size>(rows), n = static_cast<Size>(side);
  tiled ? matmul::tiled_product(m, n, n, a, b, c) : matmul::naive_product(m, n, n, a, b, c);
}
