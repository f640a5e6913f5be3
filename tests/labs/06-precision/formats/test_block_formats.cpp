// Blocks: ggml's to the byte; the others compared with their specifications, restated here.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "kit/random.hpp"

namespace hf::precision {
namespace {

using Block = std::vector<float>;

// ---- ggml ----

struct GgmlBlock {
  std::string name;
  Block numbers;
  std::string q8_0, q4_0;  // in hexadecimal
};

std::vector<GgmlBlock> ggml_blocks() {
  std::ifstream file(GGML_BLOCKS);
  std::vector<GgmlBlock> blocks;
  std::string line, name;
  while (std::getline(file, line)) {
    if (line.starts_with("#")) {
      name = line.substr(2);
      continue;
    }
    GgmlBlock block = {name, {}, "", ""};
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      block.numbers.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16))));
    }
    std::getline(file, block.q8_0);
    std::getline(file, block.q4_0);
    blocks.push_back(block);
  }
  return blocks;
}

template <class Encoded>
std::string hexadecimal(const Encoded& block) {
  std::array<unsigned char, sizeof block> bytes;
  std::memcpy(bytes.data(), &block, sizeof block);
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

TEST_CASE("ggml makes the same bytes") {
  const std::vector<GgmlBlock> blocks = ggml_blocks();
  REQUIRE(blocks.size() == 45);
  for (const GgmlBlock& block : blocks) {
    CAPTURE(block.name);
    REQUIRE(block.numbers.size() == 32);
    CHECK(hexadecimal(q8_0_of(block.numbers)) == block.q8_0);
    CHECK(hexadecimal(q4_0_of(block.numbers)) == block.q4_0);
  }
}

TEST_CASE("what ggml's blocks stand for") {
  Block x(32), y(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 16;
  x[0] = 127;
  decode(q8_0_of(x), y);
  CHECK(x == y);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 16) - 8;
  decode(q4_0_of(x), y);
  CHECK(x == y);
  const Q4_0Block block = q4_0_of(x);
  CHECK(from_fp16(block.scale) == 1);
  for (std::size_t j = 0; j < 16; ++j) CHECK(block.q[j] == j * 17);  // numbers j and j + 16
}

// ---- The others ----

/// Random blocks: normal-ish, wide, with zeros, one-sided, small and large.
std::vector<Block> random_blocks(std::size_t numbers) {
  std::vector<Block> blocks = {Block(numbers, 0.0f), Block(numbers, -0.0f), Block(numbers, 3.0f)};
  for (std::uint64_t i = 0; i < 400; ++i) {
    Block block(numbers);
    const float spread = std::ldexp(1.0f, static_cast<int>(random_below(1, i, 61)) - 30);
    const float tails = static_cast<float>(random_below(2, i, 6));
    for (std::size_t j = 0; j < numbers; ++j) {
      block[j] = spread * random_number(3 + i, j) * std::exp2(tails * random_number(3 + i, numbers + j));
    }
    blocks.push_back(block);
  }
  return blocks;
}

/// All values of the elements, in the order of their patterns, without E4M3's NaN.
template <class Value>
std::vector<double> all_numbers(int patterns, Value value) {
  std::vector<double> numbers;
  for (int pattern = 0; pattern < patterns; ++pattern) {
    const double number = value(static_cast<std::uint8_t>(pattern));
    if (!std::isnan(number)) numbers.push_back(number);
  }
  return numbers;
}

/// True if no other number of the format, times the scale, is nearer to x; beyond the largest, the largest is the
/// nearest.
void check_nearest(double x, double decoded, double scale, const std::vector<double>& numbers, double slack = 0) {
  double least = INFINITY;
  for (double number : numbers) least = std::min(least, std::abs(number * scale - x));
  CAPTURE(x);
  CAPTURE(decoded);
  CAPTURE(scale);
  REQUIRE(std::abs(decoded - x) <= least + slack * std::abs(x));
}

double largest_of(const Block& x) {
  double largest = 0;
  for (float number : x) largest = std::max(largest, std::abs(static_cast<double>(number)));
  return largest;
}

/// 2^(⌊log2 max⌋ − top), as "Microscaling Formats (MX) Specification" 1.0 says in its section 6.3.
double mx_scale(const Block& x, int top) {
  const double largest = largest_of(x);
  return largest == 0 ? 0x1p-127 : std::exp2(std::floor(std::log2(largest)) - top);
}

/// Checks random blocks: their scale, and that each number is the nearest. \param number  of a block, without its scale
template <class Encode, class Number>
void check_mx(Encode encode, int top, const std::vector<double>& numbers, Number number) {
  for (const Block& x : random_blocks(32)) {
    const auto block = encode(x);
    const double scale = mx_scale(x, top);
    REQUIRE(from_e8m0(block.scale) == scale);
    Block y(32);
    decode(block, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      REQUIRE(y[i] == number(block, i) * scale);
      check_nearest(x[i], y[i], scale, numbers);
    }
  }
}

TEST_CASE("MXFP4: a power of two, and the nearest numbers") {
  const std::vector<double> numbers = all_numbers(16, from_e2m1);
  REQUIRE(numbers == std::vector<double>{0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6});
  check_mx(mxfp4_of, 2, numbers, [&](const Mxfp4Block& block, std::size_t i) {
    const int q = i < 16 ? block.q[i] & 15 : block.q[i - 16] >> 4;
    return numbers[static_cast<std::size_t>(q)];
  });
}

TEST_CASE("MXFP8: a power of two, and the nearest numbers") {
  const std::vector<double> numbers = all_numbers(256, from_e4m3);
  REQUIRE(numbers.size() == 254);
  check_mx(mxfp8_of, 8, numbers, [](const Mxfp8Block& block, std::size_t i) { return from_e4m3(block.q[i]); });
}

TEST_CASE("MX: what is past the largest element saturates, and the scale does not grow for it") {
  Block x(32, 0.25f), y(32);
  x[5] = 7.9f, x[6] = -7.9f;  // below 8: the scale is 1, whose elements end at 6
  CHECK(mxfp4_of(x).scale == 127);
  decode(mxfp4_of(x), y);
  CHECK(y[5] == 6);
  CHECK(y[6] == -6);
  x[5] = 511, x[6] = -460;
  CHECK(mxfp8_of(x).scale == 127);
  decode(mxfp8_of(x), y);
  CHECK(y[5] == 448);
  CHECK(y[6] == -448);
}

TEST_CASE("MXFP8 unclipped: where something would saturate the scale doubles, and else nothing changes") {
  Block x(32, 0.25f), y(32);
  x[5] = 448, x[6] = -300;
  CHECK(mxfp8_unclipped_of(x).scale == 127);
  CHECK(mxfp8_unclipped_of(x).q == mxfp8_of(x).q);
  x[6] = -449;
  const Mxfp8Block block = mxfp8_unclipped_of(x);
  CHECK(block.scale == 128);
  decode(block, y);
  CHECK(y[5] == 448);
  CHECK(y[6] == -448);
  x[6] = -500;
  decode(mxfp8_unclipped_of(x), y);
  CHECK(y[6] == -512);
}

TEST_CASE("MX: scales end where E8M0 ends") {
  Block x(32, 0x1.8p127f), y(32);
  CHECK(mxfp4_of(x).scale == 252);
  decode(mxfp4_of(x), y);
  CHECK(x == y);
  x.assign(32, 0x1p-127f);  // 2^-2 of the smallest scale: halfway between 0 and the smallest element, 0.5, is even 0
  CHECK(mxfp4_of(x).scale == 0);
  CHECK(mxfp4_of(Block(32, 0x1p-126f)).q[0] == 0x44);  // twice the smallest scale
}

TEST_CASE("MX: a block with infinity or NaN decodes to NaNs") {
  for (const float special : {INFINITY, -INFINITY, NAN, -NAN}) {
    Block x(32, 1), y(32);
    x[7] = special;
    const auto all_nan = [&](const auto& block) {
      decode(block, y);
      return std::ranges::all_of(y, [](float number) { return std::isnan(number); });
    };
    CHECK(all_nan(mxfp4_of(x)));
    CHECK(all_nan(mxfp8_of(x)));
    CHECK(all_nan(mxfp8_unclipped_of(x)));
  }
}

TEST_CASE("NVFP4: a scale in E4M3, and the nearest numbers") {
  const std::vector<double> numbers = all_numbers(16, from_e2m1), scales = all_numbers(127, from_e4m3);
  for (const Block& x : random_blocks(16)) {
    for (double larger : {1.0, 3.0, 1000.0}) {  // what else is in the matrix
      const float matrix_scale = nvfp4_scale(static_cast<float>(larger * largest_of(x)));
      CHECK(matrix_scale == doctest::Approx(larger * largest_of(x) / 2688).epsilon(1e-6));
      const Nvfp4Block block = nvfp4_of(x, matrix_scale);
      const double of_block = from_e4m3(block.scale), scale = of_block * matrix_scale;
      if (matrix_scale > 0) check_nearest(largest_of(x) / 6 / matrix_scale, of_block, 1, scales, 1e-6);
      Block y(16);
      decode(block, matrix_scale, y);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const int q = i < 8 ? block.q[i] & 15 : block.q[i - 8] >> 4;
        REQUIRE(y[i] == doctest::Approx(numbers[static_cast<std::size_t>(q)] * scale).epsilon(1e-6));
        check_nearest(x[i], y[i], scale, numbers, 1e-6);
      }
    }
  }
}

TEST_CASE("NVFP4: the largest number of a matrix becomes 448 times 6") {
  Block x(16, 0.1f);
  x[3] = -2.5f;
  const Nvfp4Block block = nvfp4_of(x, nvfp4_scale(2.5f));
  CHECK(from_e4m3(block.scale) == 448);
  CHECK(block.q[3] == 0xf);  // −6 in number 3, and 0.1 · 6 / 2.5 = 0.24 is 0 in number 11
}

}  // namespace
}  // namespace hf::precision
