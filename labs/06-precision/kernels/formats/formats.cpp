#include "06-precision/kernels/formats/formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/scalar_floats.hpp"

namespace hf::precision {
namespace {

// ---- Blocks ----

constexpr float largest_e2m1 = 6, largest_e4m3 = 448;
constexpr int e2m1_top_exponent = 2, e4m3_top_exponent = 8;  // exponent of the largest power of two

/// All values of a format with at most 8 bits.
template <std::size_t count>
constexpr std::array<float, count> table_of(float (*value)(std::uint8_t)) {
  std::array<float, count> table = {};
  for (std::size_t i = 0; i < count; ++i) table[i] = value(static_cast<std::uint8_t>(i));
  return table;
}

constexpr std::array e2m1_values = table_of<16>(from_e2m1);
constexpr std::array e4m3_values = table_of<256>(from_e4m3);

/// 1 / scale, or 0 if that is not finite, so that numbers whose scale underflows become zeros.
float inverse(float scale) {
  const float inverse = 1 / scale;
  return std::isfinite(inverse) ? inverse : 0.0f;
}

/// The scale of an MX block: 2^(⌊log2 max⌋ − top_exponent), but at least E8M0's smallest; NaN if any number is infinite
/// or NaN. Scaled numbers past the largest element saturate: they are below 512, and E4M3 ends at 448; or below 8, and
/// E2M1 ends at 6.
std::uint8_t mx_scale(std::span<const float> x, int top_exponent) {
  std::uint8_t largest = 0;  // of the exponents, of which NaN is the highest
  for (const float number : x) largest = std::max(largest, e8m0_of(number));
  return largest == e8m0_nan ? largest : static_cast<std::uint8_t>(std::max(largest - top_exponent, 0));
}

/// 1 / scale, exact; NaN for NaN.
float inverse_e8m0(std::uint8_t scale) { return from_e8m0(static_cast<std::uint8_t>(254 - scale)); }

Mxfp8Block mxfp8_with(std::uint8_t scale, std::span<const float> x) {
  Mxfp8Block block = {scale, {}};
  const float by = inverse_e8m0(scale);
  for (std::size_t j = 0; j < block.q.size(); ++j) block.q[j] = e4m3_of(x[j] * by);
  return block;
}

/// Packs two numbers into each byte.
template <std::size_t bytes, class Number>
std::array<std::uint8_t, bytes> pairs(std::span<const float> x, const Number& number) {
  std::array<std::uint8_t, bytes> q;
  for (std::size_t j = 0; j < bytes; ++j) q[j] = static_cast<std::uint8_t>(number(x[j]) | number(x[bytes + j]) << 4);
  return q;
}

template <std::size_t bytes, class Value>
void each_of_pairs(const std::array<std::uint8_t, bytes>& q, std::span<float> to, const Value& value) {
  for (std::size_t j = 0; j < bytes; ++j) {
    to[j] = value(q[j] & 15);
    to[bytes + j] = value(q[j] >> 4);
  }
}

}  // namespace

float largest_magnitude(std::span<const float> x) {
  float largest = 0;
  for (float number : x) largest = std::max(largest, std::abs(number));
  return largest;
}

Q8_0Block q8_0_of(std::span<const float> x) {
  const float scale = largest_magnitude(x) / 127, by = inverse(scale);
  Q8_0Block block = {fp16_of(scale), {}};
  for (std::size_t j = 0; j < x.size(); ++j) {
    block.q[j] = static_cast<std::int8_t>(std::round(x[j] * by));
  }
  return block;
}

// [begin: q4-0]
Q4_0Block q4_0_of(std::span<const float> x) {
  const auto nearer = [](float a, float b) { return std::abs(a) < std::abs(b); };
  // With its sign, since it becomes −8. For zeros: +0, and the scale is −0.
  const float farthest = *std::max_element(x.begin(), x.end(), nearer) + 0.0f;
  const float scale = farthest / -8, by = inverse(scale);
  const auto number = [by](float v) {  // not negative, so the cast rounds down
    return std::min(15, static_cast<int>(v * by + 8.5f));
  };
  return {fp16_of(scale), pairs<Q4_0Block::numbers / 2>(x, number)};
}
// [end: q4-0]

Mxfp8Block mxfp8_of(std::span<const float> x) { return mxfp8_with(mx_scale(x, e4m3_top_exponent), x); }

Mxfp8Block mxfp8_unclipped_of(std::span<const float> x) {
  const std::uint8_t scale = mx_scale(x, e4m3_top_exponent);
  const bool clips = largest_magnitude(x) > largest_e4m3 * from_e8m0(scale);
  return mxfp8_with(clips ? static_cast<std::uint8_t>(scale + 1) : scale, x);
}

Mxfp4Block mxfp4_of(std::span<const float> x) {
  const std::uint8_t scale = mx_scale(x, e2m1_top_exponent);
  const float by = inverse_e8m0(scale);
  const auto number = [by](float v) { return e2m1_of(v * by); };
  return {scale, pairs<Mxfp4Block::numbers / 2>(x, number)};
}

float nvfp4_scale(float largest_magnitude) { return largest_magnitude / (largest_e2m1 * largest_e4m3); }

Nvfp4Block nvfp4_of(std::span<const float> x, float matrix_scale) {
  const float wanted = largest_magnitude(x) / largest_e2m1 * inverse(matrix_scale);
  const std::uint8_t scale = e4m3_of(wanted);
  const float by = inverse(from_e4m3(scale) * matrix_scale);
  const auto number = [by](float v) { return e2m1_of(v * by); };
  return {scale, pairs<Nvfp4Block::numbers / 2>(x, number)};
}

void decode(const Q8_0Block& block, std::span<float> to) {
  const float scale = from_fp16(block.scale);
  for (std::size_t j = 0; j < block.q.size(); ++j) to[j] = scale * block.q[j];
}

void decode(const Q4_0Block& block, std::span<float> to) {
  const float scale = from_fp16(block.scale);
  each_of_pairs(block.q, to, [scale](int q) { return scale * static_cast<float>(q - 8); });
}

void decode(const Mxfp8Block& block, std::span<float> to) {
  const float scale = from_e8m0(block.scale);
  for (std::size_t j = 0; j < block.q.size(); ++j) to[j] = scale * e4m3_values[block.q[j]];
}

void decode(const Mxfp4Block& block, std::span<float> to) {
  const float scale = from_e8m0(block.scale);
  each_of_pairs(block.q, to, [scale](int q) { return scale * e2m1_values[static_cast<std::size_t>(q)]; });
}

void decode(const Nvfp4Block& block, float matrix_scale, std::span<float> to) {
  const float scale = from_e4m3(block.scale) * matrix_scale;
  each_of_pairs(block.q, to, [scale](int q) { return scale * e2m1_values[static_cast<std::size_t>(q)]; });
}

// ---- Matrices ----
//
// A codec encodes and decodes a run of numbers, with a scale that is stored outside: 1 for formats without one.

namespace {

/// The scale that maps the largest number to the format's largest; 1 if all are zero.
float scale_for(float largest, float of_format) {
  const float scale = largest / of_format;
  return std::isnormal(scale) ? scale : 1.0f;
}

struct Fp32Codec {
  using Stored = float;
  static constexpr std::size_t run = 1;
  static Stored encode(std::span<const float> x, float) { return x[0]; }
  static void decode(Stored number, float, std::span<float> to) { to[0] = number; }
};

/// fp16 and bf16.
template <FloatLayout layout>
struct Float16Codec {
  using Stored = std::uint16_t;
  static constexpr std::size_t run = 1;
  static Stored encode(std::span<const float> x, float) {
    return static_cast<Stored>(pattern_of<layout>(x[0], Overflow::special));
  }
  static void decode(Stored pattern, float, std::span<float> to) { to[0] = value_of<layout>(pattern); }
};

template <FloatLayout layout>
struct Float8Codec {
  using Stored = std::uint8_t;
  static constexpr std::size_t run = 1;
  static float scale(float largest) { return scale_for(largest, value_of<layout>(layout.largest())); }
  static Stored encode(std::span<const float> x, float scale) {
    return static_cast<Stored>(pattern_of<layout>(x[0] / scale, Overflow::saturate));
  }
  static void decode(Stored pattern, float scale, std::span<float> to) { to[0] = scale * value_of<layout>(pattern); }
};

struct Int8Codec {
  using Stored = std::int8_t;
  static constexpr std::size_t run = 1;
  static float scale(float largest) { return scale_for(largest, 127); }
  static Stored encode(std::span<const float> x, float scale) {
    return static_cast<Stored>(std::clamp(std::nearbyint(x[0] / scale), -127.f, 127.f));
  }
  static void decode(Stored number, float scale, std::span<float> to) { to[0] = scale * static_cast<float>(number); }
};

template <class Block, Block (*encoded)(std::span<const float>)>
struct BlockCodec {
  using Stored = Block;
  static constexpr std::size_t run = Block::numbers;
  static Block encode(std::span<const float> x, float) { return encoded(x); }
  static void decode(const Block& block, float, std::span<float> to) { precision::decode(block, to); }
};

struct Nvfp4Codec {
  using Stored = Nvfp4Block;
  static constexpr std::size_t run = Nvfp4Block::numbers;
  static float scale(float largest) { return nvfp4_scale(largest); }
  static Stored encode(std::span<const float> x, float scale) { return nvfp4_of(x, scale); }
  static void decode(const Stored& block, float scale, std::span<float> to) { precision::decode(block, scale, to); }
};

/// Calls `use.operator()<Codec>()`.
template <class Use>
void with_codec(Format format, const Use& use) {
  switch (format) {
    case Format::fp32: return use.template operator()<Fp32Codec>();
    case Format::fp16: return use.template operator()<Float16Codec<fp16_layout>>();
    case Format::bf16: return use.template operator()<Float16Codec<bf16_layout>>();
    case Format::fp8_e4m3: return use.template operator()<Float8Codec<e4m3_layout>>();
    case Format::fp8_e5m2: return use.template operator()<Float8Codec<e5m2_layout>>();
    case Format::int8:
    case Format::int8_channel: return use.template operator()<Int8Codec>();
    case Format::q8_0: return use.template operator()<BlockCodec<Q8_0Block, q8_0_of>>();
    case Format::q4_0: return use.template operator()<BlockCodec<Q4_0Block, q4_0_of>>();
    case Format::mxfp8: return use.template operator()<BlockCodec<Mxfp8Block, mxfp8_of>>();
    case Format::mxfp4: return use.template operator()<BlockCodec<Mxfp4Block, mxfp4_of>>();
    case Format::nvfp4: return use.template operator()<Nvfp4Codec>();
  }
}

struct Names {
  const char *id, *label;
};

/// In the order of all_formats.
constexpr std::array<Names, all_formats.size()> names = {{{"fp32", "fp32"},
                                                          {"fp16", "fp16"},
                                                          {"bf16", "bf16"},
                                                          {"fp8_e4m3", "FP8 E4M3"},
                                                          {"fp8_e5m2", "FP8 E5M2"},
                                                          {"int8", "int8"},
                                                          {"int8_channel", "int8, by row"},
                                                          {"q8_0", "Q8_0"},
                                                          {"q4_0", "Q4_0"},
                                                          {"mxfp8", "MXFP8"},
                                                          {"mxfp4", "MXFP4"},
                                                          {"nvfp4", "NVFP4"}}};

}  // namespace

const char* id(Format format) { return names[static_cast<std::size_t>(format)].id; }
const char* label(Format format) { return names[static_cast<std::size_t>(format)].label; }

double EncodedMatrix::bits() const {
  return 8.0 * static_cast<double>(bytes.size() + scales.size() * sizeof(float)) / static_cast<double>(rows * columns);
}

EncodedMatrix encode(Format format, std::span<const float> values, std::size_t rows, std::size_t columns) {
  EncodedMatrix matrix = {format, rows, columns, {}, {}};
  const std::size_t sharing = format == Format::int8_channel ? columns : values.size();  // one scale in matrix.scales
  with_codec(format, [&]<class Codec>() {
    matrix.bytes.resize(values.size() / Codec::run * sizeof(typename Codec::Stored));
    std::byte* to = matrix.bytes.data();
    for (std::size_t first = 0; first < values.size(); first += sharing) {
      float scale = 1;
      if constexpr (requires { Codec::scale(1.0f); }) {
        scale = Codec::scale(largest_magnitude(values.subspan(first, sharing)));
        matrix.scales.push_back(scale);
      }
      for (std::size_t i = first; i < first + sharing; i += Codec::run, to += sizeof(typename Codec::Stored)) {
        const auto stored = Codec::encode(values.subspan(i, Codec::run), scale);
        std::memcpy(to, &stored, sizeof stored);
      }
    }
  });
  return matrix;
}

std::vector<float> decode(const EncodedMatrix& matrix) {
  std::vector<float> values(matrix.rows * matrix.columns);
  const std::size_t sharing = matrix.scales.size() > 1 ? matrix.columns : values.size();
  with_codec(matrix.format, [&]<class Codec>() {
    const std::byte* from = matrix.bytes.data();
    for (std::size_t i = 0; i < values.size(); i += Codec::run) {
      typename Codec::Stored stored;
      std::memcpy(&stored, from, sizeof stored);
      from += sizeof stored;
      const float scale = matrix.scales.empty() ? 1 : matrix.scales[i / sharing];
      Codec::decode(stored, scale, std::span(values).subspan(i, Codec::run));
    }
  });
  return values;
}

}  // namespace hf::precision
