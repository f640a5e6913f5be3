#include "06-precision/kernels/sparsity/sparse_matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

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
constexpr std::size_t panel_columns = vector_registers / 4;      // of b, with two registers of sums each

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

typedef float Four __attribute__((vector_size(16)));

/// Lets a std::vector hold aligned registers.
struct Register {
  Floats number;
};

/// Transposes a 4 × 4 matrix.
inline void transpose(Four (&x)[4]) {
  const Four a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5),
             c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/// Loads up to four numbers; the others become zero.
inline Four load_four(const float* from, std::size_t count) {
  Four x = {};
  if (count >= 4) {
    std::memcpy(&x, from, sizeof x);
  } else {
    for (std::size_t i = 0; i < count; ++i) x[i] = from[i];
  }
  return x;
}

inline void store_four(float* to, std::size_t count, Four x) {
  if (count >= 4) {
    std::memcpy(to, &x, sizeof x);
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = x[i];
  }
}

/// Packs a panel: for each four rows of b and each column, a register that repeats those four numbers. Repeating them
/// when they are loaded would occupy the units that choose among them.
void pack_panel(const float* b, std::size_t rows, std::size_t n, std::size_t columns, Floats* panel) {
  for (std::size_t row = 0; row < rows; row += 4) {
    for (std::size_t j = 0; j < panel_columns; j += 4) {
      Four x[4] = {};
      for (std::size_t i = 0; i < 4 && j < columns; ++i) x[i] = load_four(b + (row + i) * n + j, columns - j);
      transpose(x);
      for (const Four& column : x) *panel++ = repeat_four(reinterpret_cast<const float*>(&column));
    }
  }
}

using Sums = Floats[panel_columns];

/// Multiplies one or two rows of tiles by a panel.
template <std::size_t registers>
void multiply_panel(const float* first, std::size_t tiles, const Floats* panel, Sums (&sums)[registers]) {
  Floats sum[registers][panel_columns] = {};
  const float* tile[registers];
  for (std::size_t r = 0; r < registers; ++r) tile[r] = first + r * tiles * tile_floats;
  for (std::size_t t = 0; t < tiles; ++t) {
    Bits places[registers];
    for (std::size_t r = 0; r < registers; ++r) places[r] = load_places(tile[r]);
#pragma GCC unroll 8
    for (std::size_t four = 0; four < tile_columns / 4; ++four, panel += panel_columns) {
      Floats number[registers][2];
      for (std::size_t r = 0; r < registers; ++r) {
        for (std::size_t i : {0, 1}) number[r][i] = load(tile[r] + (1 + 2 * four + i) * lanes);
      }
#pragma GCC unroll 8
      for (std::size_t j = 0; j < panel_columns; ++j) {
        const Floats fours = opaque(panel[j]);  // loaded once
#pragma GCC unroll 2
        for (std::size_t r = 0; r < registers; ++r) {
          sum[r][j] += number[r][0] * choose(fours, places[r] >> 4 * four);
          sum[r][j] += number[r][1] * choose(fours, places[r] >> (4 * four + 2));
        }
      }
    }
    for (const float*& each : tile) each += tile_floats;
  }
  std::memcpy(sums, sum, sizeof sum);
}

/// Stores `columns` columns of rows of c from sums that have one row in each lane.
void store_rows(const Sums& sums, std::size_t rows, std::size_t columns, float* c, std::size_t n) {
  for (std::size_t row = 0; row < rows; row += 4) {
    for (std::size_t j = 0; j < columns; j += 4) {
      Four x[4];
      for (std::size_t i = 0; i < 4; ++i)
        std::memcpy(&x[i], reinterpret_cast<const float*>(&sums[j + i]) + row, sizeof(Four));
      transpose(x);
      for (std::size_t r = 0; r < 4 && row + r < rows; ++r) store_four(c + (row + r) * n + j, columns - j, x[r]);
    }
  }
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
  if (prefetches()) {
    multiply_vector<true>(tiles_.data(), rows_, columns_, x, y);
  } else {
    multiply_vector<false>(tiles_.data(), rows_, columns_, x, y);
  }
}

void TwoFourMatrix::multiply(std::size_t n, const float* b, float* c) const {
  const std::size_t tiles = columns_ / tile_columns;
  std::vector<Register> memory(columns_ / 4 * panel_columns);
  Floats* panel = &memory.front().number;
  const auto multiply_rows = [&]<std::size_t registers>(std::size_t row, std::size_t j) {
    Sums sums[registers];
    multiply_panel(tiles_.data() + row / lanes * tiles * tile_floats, tiles, panel, sums);
    for (const Sums& each : sums) {
      store_rows(each, least(rows_ - row, lanes), least(n - j, panel_columns), c + row * n + j, n);
      row += lanes;
    }
  };
  for (std::size_t j = 0; j < n; j += panel_columns) {
    pack_panel(b + j, columns_, n, least(n - j, panel_columns), panel);
    std::size_t row = 0;
    for (; row + lanes < rows_; row += 2 * lanes) multiply_rows.operator()<2>(row, j);
    if (row < rows_) multiply_rows.operator()<1>(row, j);
  }
}

}  // namespace hf::precision
