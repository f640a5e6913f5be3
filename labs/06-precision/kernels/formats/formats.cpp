#include "06-precision/kernels/formats/formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "06-precision/kernels/formats/block_formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"

namespace hf::precision {
namespace {

/// What each run of so many floats becomes, one after the other.
template <class Stored, class Encode>
std::vector<std::byte> store(std::span<const float> values, std::size_t run, const Encode& encode) {
  std::vector<std::byte> bytes(values.size() / run * sizeof(Stored));
  for (std::size_t i = 0; i < values.size() / run; ++i) {
    const Stored stored = encode(values.subspan(i * run, run));
    std::memcpy(&bytes[i * sizeof(Stored)], &stored, sizeof stored);
  }
  return bytes;
}

template <class Number, class Encode>
std::vector<std::byte> store_numbers(std::span<const float> values, const Encode& encode) {
  return store<Number>(values, 1, [&](std::span<const float> x) { return encode(x.front()); });
}

template <class Block, class Encode>
std::vector<std::byte> store_blocks(std::span<const float> values, const Encode& encode) {
  return store<Block>(values, Block::numbers, encode);
}

template <class Stored, class Decode>
void load(std::span<const std::byte> bytes, std::span<float> to, const Decode& decode) {
  const std::size_t count = bytes.size() / sizeof(Stored), run = count == 0 ? 0 : to.size() / count;
  for (std::size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, &bytes[i * sizeof(Stored)], sizeof stored);
    decode(stored, to.subspan(i * run, run));
  }
}

template <class Number, class Decode>
void load_numbers(std::span<const std::byte> bytes, std::span<float> to, const Decode& decode) {
  load<Number>(bytes, to, [&](Number number, std::span<float> x) { x.front() = decode(number); });
}

template <class Block>
void load_blocks(std::span<const std::byte> bytes, std::span<float> to) {
  load<Block>(bytes, to, [](const Block& block, std::span<float> x) { decode(block, x); });
}

/// The scale under which the largest number becomes the largest of the format; 1 where all are zero.
float scale_for(std::span<const float> values, float largest) {
  const float scale = largest_magnitude(values) / largest;
  return std::isnormal(scale) ? scale : 1.0f;
}

std::vector<std::byte> int8_of(std::span<const float> values, float scale) {
  return store_numbers<std::int8_t>(values, [scale](float x) {
    return static_cast<std::int8_t>(std::clamp(std::nearbyint(x / scale), -127.f, 127.f));
  });
}

/// One scale for each row.
EncodedMatrix int8_rows(std::span<const float> values, std::size_t rows, std::size_t columns) {
  EncodedMatrix matrix = {Format::int8_channel, rows, columns, {}, {}};
  matrix.bytes.reserve(values.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const float> numbers = values.subspan(row * columns, columns);
    matrix.scales.push_back(scale_for(numbers, 127));
    const std::vector<std::byte> bytes = int8_of(numbers, matrix.scales.back());
    matrix.bytes.insert(matrix.bytes.end(), bytes.begin(), bytes.end());
  }
  return matrix;
}

/// All scales that stand apart, and the numbers.
std::pair<std::vector<std::byte>, std::vector<float>> encode_whole(Format format, std::span<const float> x) {
  const auto scaled = [x](float largest, const auto& encode) {
    const float scale = scale_for(x, largest);
    return std::pair(encode(scale), std::vector{scale});
  };
  const auto alone = [](std::vector<std::byte> bytes) { return std::pair(std::move(bytes), std::vector<float>()); };
  switch (format) {
    case Format::fp32: return alone(store_numbers<float>(x, [](float v) { return v; }));
    case Format::fp16: return alone(store_numbers<std::uint16_t>(x, [](float v) { return fp16_of(v); }));
    case Format::bf16: return alone(store_numbers<std::uint16_t>(x, [](float v) { return bf16_of(v); }));
    case Format::fp8_e4m3:
      return scaled(448, [x](float scale) {
        return store_numbers<std::uint8_t>(x, [scale](float v) { return e4m3_of(v / scale); });
      });
    case Format::fp8_e5m2:
      return scaled(57344, [x](float scale) {
        return store_numbers<std::uint8_t>(x, [scale](float v) { return e5m2_of(v / scale); });
      });
    case Format::int8: return scaled(127, [x](float scale) { return int8_of(x, scale); });
    case Format::q8_0: return alone(store_blocks<Q8_0Block>(x, q8_0_of));
    case Format::q4_0: return alone(store_blocks<Q4_0Block>(x, q4_0_of));
    case Format::mxfp8: return alone(store_blocks<Mxfp8Block>(x, mxfp8_of));
    case Format::mxfp4: return alone(store_blocks<Mxfp4Block>(x, mxfp4_of));
    case Format::nvfp4: {
      const float scale = nvfp4_scale(largest_magnitude(x));
      return {store_blocks<Nvfp4Block>(x, [scale](std::span<const float> v) { return nvfp4_of(v, scale); }), {scale}};
    }
    case Format::int8_channel: break;  // it needs the rows
  }
  throw std::logic_error("encode: a format that is not in Format");
}

/// With one scale for all.
template <class Number, class Decode>
void load_scaled(std::span<const std::byte> bytes, float scale, std::span<float> to, const Decode& decode) {
  load_numbers<Number>(bytes, to, [&](Number number) { return scale * decode(number); });
}

}  // namespace

const char* id(Format format) {
  switch (format) {
    case Format::fp32: return "fp32";
    case Format::fp16: return "fp16";
    case Format::bf16: return "bf16";
    case Format::fp8_e4m3: return "fp8_e4m3";
    case Format::fp8_e5m2: return "fp8_e5m2";
    case Format::int8: return "int8";
    case Format::int8_channel: return "int8_channel";
    case Format::q8_0: return "q8_0";
    case Format::q4_0: return "q4_0";
    case Format::mxfp8: return "mxfp8";
    case Format::mxfp4: return "mxfp4";
    case Format::nvfp4: return "nvfp4";
  }
  return "";
}

const char* label(Format format) {
  switch (format) {
    case Format::fp8_e4m3: return "FP8 E4M3";
    case Format::fp8_e5m2: return "FP8 E5M2";
    case Format::int8_channel: return "int8, by row";
    case Format::q8_0: return "Q8_0";
    case Format::q4_0: return "Q4_0";
    case Format::mxfp8: return "MXFP8";
    case Format::mxfp4: return "MXFP4";
    case Format::nvfp4: return "NVFP4";
    default: return id(format);
  }
}

double EncodedMatrix::bits() const {
  return 8.0 * static_cast<double>(bytes.size() + scales.size() * sizeof(float)) / static_cast<double>(rows * columns);
}

EncodedMatrix encode(Format format, std::span<const float> values, std::size_t rows, std::size_t columns) {
  if (format == Format::int8_channel) return int8_rows(values, rows, columns);
  auto [bytes, scales] = encode_whole(format, values);
  return {format, rows, columns, std::move(bytes), std::move(scales)};
}

std::vector<float> decode(const EncodedMatrix& matrix) {
  std::vector<float> values(matrix.rows * matrix.columns);
  const std::span<float> to = values;
  const std::span<const std::byte> bytes = matrix.bytes;
  switch (matrix.format) {
    case Format::fp32: load_numbers<float>(bytes, to, [](float v) { return v; }); break;
    case Format::fp16: load_numbers<std::uint16_t>(bytes, to, from_fp16); break;
    case Format::bf16: load_numbers<std::uint16_t>(bytes, to, from_bf16); break;
    case Format::fp8_e4m3: load_scaled<std::uint8_t>(bytes, matrix.scales[0], to, from_e4m3); break;
    case Format::fp8_e5m2: load_scaled<std::uint8_t>(bytes, matrix.scales[0], to, from_e5m2); break;
    case Format::int8:
      load_scaled<std::int8_t>(bytes, matrix.scales[0], to, [](std::int8_t q) { return static_cast<float>(q); });
      break;
    case Format::int8_channel:
      for (std::size_t row = 0, n = matrix.columns; row < matrix.rows; ++row) {
        const auto number = [](std::int8_t q) { return static_cast<float>(q); };
        load_scaled<std::int8_t>(bytes.subspan(row * n, n), matrix.scales[row], to.subspan(row * n, n), number);
      }
      break;
    case Format::q8_0: load_blocks<Q8_0Block>(bytes, to); break;
    case Format::q4_0: load_blocks<Q4_0Block>(bytes, to); break;
    case Format::mxfp8: load_blocks<Mxfp8Block>(bytes, to); break;
    case Format::mxfp4: load_blocks<Mxfp4Block>(bytes, to); break;
    case Format::nvfp4:
      load<Nvfp4Block>(bytes, to, [scale = matrix.scales[0]](const Nvfp4Block& block, std::span<float> x) {
        decode(block, scale, x);
      });
      break;
  }
  return values;
}

}  // namespace hf::precision
