#include "06-precision/kernels/sparsity/sparse_matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "harness/measure/vector.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__AVX__)
#include <immintrin.h>
#endif

namespace hf::precision {
namespace {

typedef std::uint32_t Bits __attribute__((vector_size(vector_bytes)));

constexpr std::size_t tile_columns = 32, tile_numbers = 16;      // columns of a row in a tile, and numbers kept of them
constexpr std::size_t tile_floats = (1 + tile_numbers) * lanes;  // with the places

/// Repeats four numbers across the register.
inline Floats repeat_four(const float* from) {
#if defined(__AVX512F__)
  return (Floats)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(from));
#elif defined(__AVX__)
  return (Floats)_mm256_broadcast_ps(reinterpret_cast<const __m128*>(from));
#else
  return load(from);
#endif
}

/// In each lane, selects one of the four numbers in its group; the lowest two bits of `place` are its index.
inline Floats choose(Floats fours, Bits place) {
#if defined(__AVX512F__)
  return (Floats)_mm512_maskz_permutevar_ps(0xffff, (__m512)fours, (__m512i)place);
#elif defined(__AVX__)
  return (Floats)_mm256_permutevar_ps((__m256)fours, (__m256i)place);
#elif defined(__aarch64__)
  const Bits bytes = (place & 3) * 0x04040404u + 0x03020100u;
  return (Floats)vqtbl1q_u8((uint8x16_t)fours, (uint8x16_t)bytes);
#else
  Floats chosen;
  for (std::size_t lane = 0; lane < lanes; ++lane) chosen[lane] = fours[lane / 4 * 4 + (place[lane] & 3)];
  return chosen;
#endif
}

inline Bits load_places(const float* tile) {
  Bits places;
  std::memcpy(&places, tile, sizeof places);
  return places;
}

/// \tparam prefetching  whether to prefetch tiles
template <bool prefetching>
void multiply_vector(const float* tile, std::size_t rows, std::size_t columns, const float* x, float* y) {
  constexpr std::size_t ahead = 2048;  // in floats
  for (std::size_t row = 0; row < rows; row += lanes) {
    Floats sum[4] = {};
    for (std::size_t column = 0; column < columns; column += tile_columns, tile += tile_floats) {
      if constexpr (prefetching) {
        for (std::size_t i = 0; i < tile_floats; i += 16) __builtin_prefetch(tile + ahead + i);
      }
      // Each lane has one row. It selects the number of x that belongs to its next weight: 2 bits of `places` give its
      // index among four.
      const Bits places = load_places(tile);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < tile_numbers; ++i) {
        const Floats fours = repeat_four(x + column + i / 2 * 4);
        const Floats weight = load(tile + (1 + i) * lanes);
        sum[i % 4] += weight * choose(fours, places >> 2 * i);
      }
    }
    store_some(y + row, rows - row, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
}

/// Returns the matrix in tiles.
std::vector<float> tiled(std::span<const float> weights, std::size_t rows, std::size_t columns) {
  const std::size_t across = columns / tile_columns, down = (rows + lanes - 1) / lanes;
  std::vector<float> tiles(down * across * tile_floats);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < across; ++t) {
      float* to = tiles.data() + (row / lanes * across + t) * tile_floats + row % lanes;
      std::uint32_t places = 0;
      for (std::size_t four = 0; four < tile_columns; four += 4) {
        std::size_t kept = four / 2;
        for (std::uint32_t place = 0; place < 4; ++place) {
          const float weight = weights[row * columns + t * tile_columns + four + place];
          if (weight == 0) continue;
          if (kept == four / 2 + 2)
            throw std::invalid_argument("TwoFourMatrix: more than two of four weights; prune them first");
          to[(1 + kept) * lanes] = weight;
          places |= place << 2 * kept++;
        }
      }
      std::memcpy(to, &places, sizeof places);
    }
  }
  return tiles;
}

}  // namespace

TwoFourMatrix::TwoFourMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), tiles_(tiled(weights, rows, columns)) {}

void TwoFourMatrix::multiply(const float* x, float* y) const {
  if (prefetches(Format::fp32)) {  // as wide as these weights
    multiply_vector<true>(tiles_.data(), rows_, columns_, x, y);
  } else {
    multiply_vector<false>(tiles_.data(), rows_, columns_, x, y);
  }
}

}  // namespace hf::precision
