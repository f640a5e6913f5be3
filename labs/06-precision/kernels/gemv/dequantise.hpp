/// \file
/// Decodes the bits of a tile into numbers that can be multiplied, with one struct for each encoding. Each dequantises
/// one group of columns: number [i][half] holds column i of the group, for one register of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "06-precision/kernels/formats/scalar_floats.hpp"  // IWYU pragma: keep  (only some processors need it)
#include "06-precision/kernels/gemv/tiles.hpp"  // IWYU pragma: keep  (says which processors have pairs of bf16)
#include "harness/measure/vector.hpp"
#include "kit/narrow/dot_instructions.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hf::precision {
namespace {

using tpu::Sums;
static_assert(sizeof(Sums) == sizeof(Floats));

typedef std::uint32_t Bits __attribute__((vector_size(vector_bytes)));
typedef std::uint16_t Words __attribute__((vector_size(vector_bytes)));
typedef std::int16_t SignedWords __attribute__((vector_size(vector_bytes)));
typedef std::uint16_t Halves __attribute__((vector_size(vector_bytes / 2)));  // as many as a register of fp32 has lanes
typedef std::uint8_t Bytes __attribute__((vector_size(vector_bytes)));

/// Opaque, so that the compiler does not load a vector again for its second use.
template <class Vector>
Vector load_as(const std::byte* at) {
  Vector v;
  std::memcpy(&v, at, sizeof v);
  return opaque(v);
}

/// Widens one byte into each lane. A loop, since GCC 12 compiles __builtin_convertvector to code for single bytes.
template <class Vector>
Vector widen_bytes(const std::byte* at) {
  std::uint32_t wide32[lanes];
  std::uint16_t wide16[lanes];
  for (std::size_t i = 0; i < lanes; ++i) wide32[i] = static_cast<std::uint8_t>(at[i]);
  for (std::size_t i = 0; i < lanes; ++i) wide16[i] = static_cast<std::uint8_t>(at[i]);
  Vector v;
  std::memcpy(&v, sizeof(Vector) == sizeof wide32 ? static_cast<const void*>(wide32) : wide16, sizeof v);
  return v;
}

/// fp16 to fp32.
inline Floats widen(Halves halves) {
#if defined(__AVX512F__)
  return (Floats)_mm512_maskz_cvtph_ps(0xffff, (__m256i)halves);  // GCC 12 warns about the intrinsic without a mask
#elif defined(__F16C__)
  return (Floats)_mm256_cvtph_ps((__m128i)halves);
#elif defined(__aarch64__)
  return (Floats)vcvt_f32_f16(vreinterpret_f16_u16((uint16x4_t)halves));
#else
  Floats wide;
  for (std::size_t lane = 0; lane < lanes; ++lane) wide[lane] = from_fp16(halves[lane]);
  return wide;
#endif
}

/// Replaces each byte by table[byte % 16]. VBMI looks up six bits, in four copies of the table, and needs no mask.
inline Bits look_up(const std::uint8_t (&table)[16], Bits bytes) {
  [[maybe_unused]] const Bits indices = bytes & 0x0f0f0f0fu;
#if defined(__AVX512VBMI__)
  const __m128i t = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return (Bits)_mm512_maskz_permutexvar_epi8(~__mmask64{0}, (__m512i)bytes, _mm512_maskz_broadcast_i32x4(0xffff, t));
#elif defined(__AVX512BW__)
  const __m128i t = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return (Bits)_mm512_shuffle_epi8(_mm512_maskz_broadcast_i32x4(0xffff, t), (__m512i)indices);
#elif defined(__AVX2__) && !defined(__AVX512F__)
  const __m128i t = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return (Bits)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t), (__m256i)indices);
#elif defined(__aarch64__)
  return (Bits)vqtbl1q_u8(vld1q_u8(table), (uint8x16_t)indices);
#else
  Bytes entries = (Bytes)indices;
  for (int i = 0; i < vector_bytes; ++i) entries[i] = table[entries[i]];
  return (Bits)entries;
#endif
}

// ---- Floating-point numbers, to fp32 ----

struct Fp32Numbers {
  static void dequantise(const std::byte* at, Floats (&number)[1][2]) {
    for (std::size_t half : {0, 1}) number[0][half] = load_as<Floats>(at + half * vector_bytes);
  }
};

struct Fp16Numbers {
  static void dequantise(const std::byte* at, Floats (&number)[1][2]) {
    for (std::size_t half : {0, 1}) number[0][half] = widen(load_as<Halves>(at + half * sizeof(Halves)));
  }
};

/// bf16 is the upper half of fp32: a shift and a mask decode two numbers of each row.
struct Bf16Numbers {
  static void dequantise(const std::byte* at, Floats (&number)[2][2]) {
    for (std::size_t half : {0, 1}) {
      const Bits pairs = load_as<Bits>(at + half * vector_bytes);
      number[0][half] = (Floats)(pairs << 16);
      number[1][half] = (Floats)(pairs & 0xffff0000u);
    }
  }
};

/// An FP8 number is a bf16 number with a shorter exponent and mantissa. Shifting its exponent to the lower end of
/// bf16's decodes it, subnormals too, to a value that is a power of two too small. A 16-bit word holds two columns.
template <int exponent_bits>
struct Fp8Numbers {
  static void dequantise(const std::byte* at, Floats (&number)[4][2]) {
    constexpr int shift = 8 - exponent_bits;
    constexpr std::uint16_t mask = 0x8000u | (0x7f00u >> shift);
    for (std::size_t half : {0, 1}) {
      const Words pairs = load_as<Words>(at + half * vector_bytes);
      const Bits even = (Bits)((Words)((SignedWords)(pairs << 8) >> shift) & mask);
      const Bits odd = (Bits)((Words)((SignedWords)pairs >> shift) & mask);
      number[0][half] = (Floats)(even << 16);
      number[1][half] = (Floats)(odd << 16);
      number[2][half] = (Floats)(even & 0xffff0000u);
      number[3][half] = (Floats)(odd & 0xffff0000u);
    }
  }
};

// ---- FP8 to bf16, for processors that can look up bytes and multiply pairs of bf16 ----

#if defined(HARDWARE_FIRST_BF16_PAIRS)
/// For each FP8 magnitude, the two bytes of the same number in bf16. The upper byte differs from the FP8 number's in the
/// bits that are set here: an XOR with the number corrects it, and copies the sign.
template <FloatLayout layout>
struct Bf16Bytes {
  alignas(vector_bytes) std::uint8_t upper[128] = {}, lower[128] = {};

  constexpr Bf16Bytes() {
    for (std::uint32_t i = 0; i < 128; ++i) {
      const std::uint16_t number = bf16_of(value_of<layout>(i));
      upper[i] = static_cast<std::uint8_t>(number >> 8 ^ i);
      lower[i] = static_cast<std::uint8_t>(number);
    }
  }
};

/// Replaces each byte by the table entry at its lower seven bits.
inline __m512i look_up(const std::uint8_t (&table)[128], __m512i indices) {
  return _mm512_permutex2var_epi8(_mm512_load_si512(table), indices, _mm512_load_si512(table + 64));
}

/// Looks numbers up instead of shifting them into place: vdpbf16ps takes subnormal numbers as zero, and the table makes
/// FP8's subnormals normal. A 32-bit lane holds two columns.
template <FloatLayout layout>
struct Fp8Pairs {
  static constexpr Bf16Bytes<layout> bytes = {};
  static void dequantise(const std::byte* at, __m512i (&number)[2]) {
    const auto numbers = (__m512i)load_as<Bits>(at);
    const __m512i lower = look_up(bytes.lower, numbers);
    const __m512i upper = _mm512_xor_si512(look_up(bytes.upper, numbers), numbers);
    number[0] = _mm512_unpacklo_epi8(lower, upper);
    number[1] = _mm512_unpackhi_epi8(lower, upper);
  }
};

/// Adds to each lane the two products of its bf16 numbers in a and b.
inline Floats dot_pairs(Floats sum, __m512i a, __m512i b) {
  return (Floats)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
}
#endif

// ---- Integers: four unsigned numbers in each lane, stored with `offset` added ----
// Those of a group's second half come shifted left by `raised` bits; by none if dot() subtracts from each number.

/// Adds to each lane the four products of its 8-bit numbers in a (unsigned) and b (signed). Without an instruction for
/// this, multiplies 16-bit numbers: first the even bytes, then the odd ones.
inline Sums dot_four(Sums sum, Sums a, Sums b) {
  if constexpr (tpu::has_dot_product) {
    return tpu::dot(sum, a, b);
  } else {
    const Words a_words = (Words)a, b_words = (Words)b;
    const Sums even = tpu::dot(sum, (Sums)(a_words & 255), (Sums)((SignedWords)(b_words << 8) >> 8));
    return tpu::dot(even, (Sums)(a_words >> 8), (Sums)((SignedWords)b_words >> 8));
  }
}

struct ByteNumbers {
  static constexpr std::int32_t offset = 128;
  static constexpr int raised = 0;
  static void dequantise(const std::byte* at, Sums (&number)[1][2]) {
    for (std::size_t half : {0, 1}) number[0][half] = load_as<Sums>(at + half * vector_bytes);
  }
};

// [begin: nibbles]
struct NibbleNumbers {
  static constexpr std::int32_t offset = 8;
  static constexpr int raised = tpu::offset_of_a == 0 ? 4 : 0;
  static void dequantise(const std::byte* at, Sums (&number)[2][2]) {
    for (std::size_t half : {0, 1}) {
      const Bits nibbles = load_as<Bits>(at + half * vector_bytes);
      number[0][half] = (Sums)(nibbles & 0x0f0f0f0fu);
      number[1][half] = (Sums)((nibbles & 0xf0f0f0f0u) >> (4 - raised));
    }
  }
};
// [end: nibbles]

/// E2M1 numbers doubled, which makes them integers.
struct E2m1Numbers {
  static constexpr std::int32_t offset = 12;
  static constexpr int raised = 0;
  static constexpr std::uint8_t doubled[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
  static void dequantise(const std::byte* at, Sums (&number)[2][2]) {
    for (std::size_t half : {0, 1}) {
      const Bits nibbles = load_as<Bits>(at + half * vector_bytes);
      number[0][half] = (Sums)look_up(doubled, nibbles);
      number[1][half] = (Sums)look_up(doubled, nibbles >> 4);
    }
  }
};

// ---- Scales, one for each row ----

/// For formats whose blocks have no scale.
struct NoScales {
  static Floats dequantise(const std::byte*) { return broadcast(1); }
};

struct Fp16Scales {
  static Floats dequantise(const std::byte* at) { return widen(load_as<Halves>(at)); }
};

/// 2^(byte − 127): the byte is fp32's exponent. The smallest scale, 2^-127, becomes 0.
struct E8m0Scales {
  static Floats dequantise(const std::byte* at) { return (Floats)(widen_bytes<Bits>(at) << 23); }
};

/// Scales are never negative. Shifting their exponent to the lower end of fp16's makes them 2^8 times too small.
struct E4m3Scales {
  static Floats dequantise(const std::byte* at) { return widen(widen_bytes<Halves>(at) << 7); }
};

}  // namespace
}  // namespace hf::precision
