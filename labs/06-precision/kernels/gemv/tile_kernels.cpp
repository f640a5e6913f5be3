#include "06-precision/kernels/gemv/tile_kernels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/gemv/dequantise.hpp"
#include "06-precision/kernels/gemv/tiles.hpp"
#include "harness/measure/vector.hpp"
#include "kit/narrow/dot_instructions.hpp"

namespace hf::precision {
namespace {

using Total = Floats[2];

/// Prefetches `bytes` bytes, `ahead` bytes after a place. The distances were found by trial. Hardware prefetches too,
/// but not across pages. Does nothing if the distance is 0.
template <std::size_t bytes, std::size_t ahead>
inline void prefetch_after(const std::byte* at) {
  if constexpr (ahead > 0) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + ahead + i, 0, 3);
  }
}

/// Adds a block of columns: dequantises it to fp32, multiplies it by x in four chains of additions, and then by the
/// scales of the rows.
template <BlockLayout layout, class Numbers, class Scales, std::size_t ahead>
inline void add_block(const std::byte* scales, const std::byte* numbers, const float* x, Total& total) {
  prefetch_after<tile_rows * layout.scale_bytes, ahead>(scales);
  Floats sum[4][2] = {};
#pragma GCC unroll 32
  for (std::size_t c = 0; c < layout.numbers; c += layout.group) {
    const std::byte* at = numbers + c * tile_rows * layout.bits / 8;
    prefetch_after<layout.group * tile_rows * layout.bits / 8, ahead>(at);
    Floats number[layout.group][2];
    Numbers::dequantise(at, number);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < layout.group; ++i) {
      for (std::size_t half : {0, 1}) {
        sum[(c + i) % 4][half] += x[c + i] * number[i][half];
      }
    }
  }
  for (std::size_t half : {0, 1}) {
    const Floats scale = Scales::dequantise(scales + half * lanes * layout.scale_bytes);
    total[half] += scale * ((sum[0][half] + sum[1][half]) + (sum[2][half] + sum[3][half]));
  }
}

#if defined(HARDWARE_FIRST_BF16_PAIRS)
/// Adds a block of columns: dequantises it to bf16, and multiplies it by two numbers of x at a time.
template <BlockLayout layout, class Numbers, class Scales, std::size_t ahead>
inline void add_block(const std::byte* scales, const std::byte* numbers, const std::uint16_t* x, Total& total) {
  prefetch_after<tile_rows * layout.scale_bytes, ahead>(scales);
  Floats sum[2][2] = {};
#pragma GCC unroll 16
  for (std::size_t c = 0; c < layout.numbers; c += layout.group) {
    const std::byte* at = numbers + c * tile_rows;
    prefetch_after<layout.group * tile_rows, ahead>(at);
    std::int32_t two;
    std::memcpy(&two, x + c, sizeof two);
    __m512i number[2];
    Numbers::dequantise(at, number);
    for (std::size_t half : {0, 1}) {
      Floats& chain = sum[c / layout.group % 2][half];
      chain = dot_pairs(chain, number[half], _mm512_set1_epi32(two));
    }
  }
  for (std::size_t half : {0, 1}) {
    const Floats scale = Scales::dequantise(scales + half * lanes * layout.scale_bytes);
    total[half] += scale * (sum[0][half] + sum[1][half]);
  }
}
#endif

/// \tparam x  the member of TileInput to multiply by, in fp32 or bf16
template <BlockLayout layout, class Numbers, class Scales, auto x, bool prefetching>
inline void add_tile(const std::byte* tile, std::size_t column, const TileInput& input, Total& total) {
  constexpr std::size_t ahead = prefetching ? 4096 : 0;
  for (std::size_t b = 0; b < tile_columns / layout.numbers; ++b) {
    add_block<layout, Numbers, Scales, ahead>(
        tile + b * tile_rows * layout.scale_bytes,
        tile + tile_scale_bytes(layout) + b * tile_rows * layout.numbers * layout.bits / 8,
        input.*x + column + b * layout.numbers, total);
  }
}

/// Copies four 8-bit numbers into every lane.
inline Sums broadcast_four(const std::int8_t* x) {
  std::int32_t four;
  std::memcpy(&four, x, sizeof four);
  return Sums{} + four;
}

/// Adds a block of columns. One instruction computes four exact products in each lane. The sums start at a value that
/// cancels the numbers' offset; they are converted to fp32 once, and then scaled.
template <BlockLayout layout, class Numbers, class Scales, std::size_t ahead>
inline void add_whole_block(const std::byte* scales, const std::byte* numbers, const std::int8_t* x, std::int32_t x_sum,
                            float x_scale, Total& total) {
  prefetch_after<tile_rows * layout.scale_bytes, ahead>(scales);
  const Sums start = Sums{} + (tpu::offset_of_a - Numbers::offset) * x_sum;
  Sums sum[2] = {start, start}, raised[2] = {};
#pragma GCC unroll 8
  for (std::size_t c = 0; c < layout.numbers; c += layout.group) {
    const std::byte* at = numbers + c * tile_rows * layout.bits / 8;
    prefetch_after<layout.group * tile_rows * layout.bits / 8, ahead>(at);
    Sums number[layout.group / 4][2];
    Numbers::dequantise(at, number);
    for (std::size_t i = 0; i < layout.group / 4; ++i) {
      const Sums four = broadcast_four(x + c + 4 * i);
      for (std::size_t half : {0, 1}) {
        Sums& to = (Numbers::raised > 0 && i == 1 ? raised : sum)[half];
        to = dot_four(to, number[i][half], four);
      }
    }
  }
  for (std::size_t half : {0, 1}) {
    const Floats scale = Scales::dequantise(scales + half * lanes * layout.scale_bytes);
    const Sums both = sum[half] + (raised[half] >> Numbers::raised);
    total[half] += x_scale * scale * __builtin_convertvector(both, Floats);
  }
}

template <BlockLayout layout, class Numbers, class Scales, bool prefetching>
inline void add_whole_tile(const std::byte* tile, std::size_t column, const TileInput& input, Total& total) {
  constexpr std::size_t ahead = !prefetching ? 0 : layout.bits == 8 ? 2048 : 4096;
  for (std::size_t b = 0; b < tile_columns / layout.numbers; ++b, column += layout.numbers) {
    const std::int32_t* sums = &input.rounded->sums[column / 16];
    add_whole_block<layout, Numbers, Scales, ahead>(
        tile + b * tile_rows * layout.scale_bytes,
        tile + tile_scale_bytes(layout) + b * tile_rows * layout.numbers * layout.bits / 8,
        &input.rounded->numbers[column], layout.numbers == 16 ? sums[0] : sums[0] + sums[1],
        input.rounded->scales[column / RoundedVector::block], total);
  }
}

template <BlockLayout layout, auto add>
void multiply_row(const std::byte* tile, std::size_t across, const TileInput& input, float* sums) {
  Total total = {};
  for (std::size_t t = 0; t < across; ++t, tile += tile_bytes(layout)) {
    add(tile, t * tile_columns, input, total);
  }
  for (std::size_t half : {0, 1}) store(sums + half * lanes, total[half]);
}

std::array<std::atomic<bool>, all_formats.size()> without_prefetching = {};

template <Format format, class Numbers, class Scales = NoScales>
Kernel floats() {
  constexpr BlockLayout layout = block_layout(format);
  return prefetches(format) ? multiply_row<layout, add_tile<layout, Numbers, Scales, &TileInput::x, true>>
                            : multiply_row<layout, add_tile<layout, Numbers, Scales, &TileInput::x, false>>;
}

template <Format format, class Numbers, class Scales = NoScales>
Kernel whole() {
  constexpr BlockLayout layout = block_layout(format);
  return prefetches(format) ? multiply_row<layout, add_whole_tile<layout, Numbers, Scales, true>>
                            : multiply_row<layout, add_whole_tile<layout, Numbers, Scales, false>>;
}

template <Format format, FloatLayout number, class Scales = NoScales>
Kernel fp8() {
#if defined(HARDWARE_FIRST_BF16_PAIRS)
  constexpr BlockLayout layout = block_layout(format);
  return prefetches(format) ? multiply_row<layout, add_tile<layout, Fp8Pairs<number>, Scales, &TileInput::bf16, true>>
                            : multiply_row<layout, add_tile<layout, Fp8Pairs<number>, Scales, &TileInput::bf16, false>>;
#else
  return floats<format, Fp8Numbers<number.exponent_bits>, Scales>();
#endif
}

// ---- The vector, rounded ----

/// The largest of |x|. Compares the bits as integers, which have the same order and vectorise.
float largest_of_block(const float* x) {
  std::int32_t largest = 0;
  for (std::size_t i = 0; i < RoundedVector::block; ++i) {
    largest = std::max(largest, std::bit_cast<std::int32_t>(x[i]) & 0x7fffffff);
  }
  return std::bit_cast<float>(largest);
}

/// to[i] = x[i] · factor, rounded to nearest. \pre the products are within ±127
void round_block(const float* __restrict x, float factor, std::int8_t* __restrict to) {
  constexpr float rounder = 0x1.8p23f;  // adding it moves the rounded number into the lowest bits
  for (std::size_t i = 0; i < RoundedVector::block; ++i) {
    const float raised = x[i] * factor + rounder;
    to[i] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(raised));
  }
}

/// The sum of 16 numbers. Adds their bytes, made unsigned, in four 16-bit fields of a 64-bit word.
std::int32_t sum_of_16(const std::int8_t* numbers) {
  std::uint64_t sums = 0;
  for (std::size_t i = 0; i < 16; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, numbers + i, sizeof eight);
    eight ^= 0x8080808080808080u;
    sums += (eight & 0x00ff00ff00ff00ffu) + (eight >> 8 & 0x00ff00ff00ff00ffu);
  }
  return static_cast<std::int32_t>(sums * 0x0001000100010001u >> 48) - 16 * 128;
}

}  // namespace

void RoundedVector::round(const float* x, std::size_t size, std::size_t unit) {
  const std::size_t padded = (size + unit - 1) / unit * unit;
  numbers.resize(padded);
  scales.resize(padded / block);
  sums.resize(padded / 16);
  for (std::size_t b = 0; b < size / block; ++b) {
    const float largest = largest_of_block(x + b * block);
    scales[b] = largest / 127;
    round_block(x + b * block, largest < 0x1p-100f ? 0 : 127 / largest, &numbers[b * block]);
  }
  std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(size), numbers.end(), std::int8_t{0});
  std::fill(scales.begin() + static_cast<std::ptrdiff_t>(size / block), scales.end(), 0.0f);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sum_of_16(&numbers[16 * i]);
}

void round_to_bf16(const float* x, std::size_t size, std::size_t unit, std::vector<std::uint16_t>& to) {
  to.resize((size + unit - 1) / unit * unit);
  for (std::size_t i = 0; i < size; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(x[i]);
    to[i] = static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // ties to even
  }
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(size), to.end(), std::uint16_t{0});
}

bool is_bf16(Format format) { return in_bf16_pairs(format); }

bool is_whole(Format format) {
  switch (format) {
    case Format::int8:
    case Format::int8_channel:
    case Format::q8_0:
    case Format::q4_0:
    case Format::mxfp4:
    case Format::nvfp4: return true;
    default: return false;
  }
}

Factors kernel_factors(Format format) {
  if (is_bf16(format)) return {1, 1};
  switch (format) {
    case Format::fp8_e4m3:
    case Format::mxfp8: return {0x1p60f, 0x1p60f};     // 2^(127 - 7)
    case Format::fp8_e5m2: return {0x1p56f, 0x1p56f};  // 2^(127 - 15)
    case Format::mxfp4: return {1, 0.5f};
    case Format::nvfp4: return {1, 0x1p8f * 0.5f};
    default: return {1, 1};
  }
}

void set_prefetching(Format format, bool prefetch) {
  without_prefetching[static_cast<std::size_t>(format)] = !prefetch;
}
bool prefetches(Format format) { return !without_prefetching[static_cast<std::size_t>(format)]; }

void set_prefetching(bool prefetch) {
  for (const Format format : all_formats) set_prefetching(format, prefetch);
}

Kernel kernel_for(Format format) {
  switch (format) {
    case Format::fp32: return floats<Format::fp32, Fp32Numbers>();
    case Format::fp16: return floats<Format::fp16, Fp16Numbers>();
    case Format::bf16: return floats<Format::bf16, Bf16Numbers>();
    case Format::fp8_e4m3: return fp8<Format::fp8_e4m3, e4m3_layout>();
    case Format::fp8_e5m2: return fp8<Format::fp8_e5m2, e5m2_layout>();
    case Format::mxfp8: return fp8<Format::mxfp8, e4m3_layout, E8m0Scales>();
    case Format::int8: return whole<Format::int8, ByteNumbers>();
    case Format::int8_channel: return whole<Format::int8_channel, ByteNumbers>();
    case Format::q8_0: return whole<Format::q8_0, ByteNumbers, Fp16Scales>();
    case Format::q4_0: return whole<Format::q4_0, NibbleNumbers, Fp16Scales>();
    case Format::mxfp4: return whole<Format::mxfp4, E2m1Numbers, E8m0Scales>();
    case Format::nvfp4: return whole<Format::nvfp4, E2m1Numbers, E4m3Scales>();
  }
  return nullptr;
}

}  // namespace hf::precision
