// Matrices in every format: what they preserve, how many bits they take, their layout in memory; and signals, with their
// measured and expected noise after quantisation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"
#include "kit/random.hpp"

namespace hf::precision {
namespace {

constexpr std::size_t rows = 24, columns = 96;

std::vector<float> matrix(float spread = 1) { return random_floats(rows * columns, 1, spread); }

TEST_CASE("every format has a name of its own") {
  std::set<std::string> ids, labels;
  for (Format format : all_formats) {
    ids.insert(id(format));
    labels.insert(label(format));
    CHECK(std::string(id(format)).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
  }
  CHECK(ids.size() == all_formats.size());
  CHECK(labels.size() == all_formats.size());
}

TEST_CASE("bits for each number, scales included") {
  const auto bits = [](Format format) { return encode(format, matrix(), rows, columns).bits(); };
  const double one_scale = 32.0 / (rows * columns), scale_of_row = 32.0 / columns;
  CHECK(bits(Format::fp32) == 32);
  CHECK(bits(Format::fp16) == 16);
  CHECK(bits(Format::bf16) == 16);
  CHECK(bits(Format::fp8_e4m3) == doctest::Approx(8 + one_scale));
  CHECK(bits(Format::fp8_e5m2) == doctest::Approx(8 + one_scale));
  CHECK(bits(Format::int8) == doctest::Approx(8 + one_scale));
  CHECK(bits(Format::int8_channel) == doctest::Approx(8 + scale_of_row));
  CHECK(bits(Format::q8_0) == 8.5);
  CHECK(bits(Format::q4_0) == 4.5);
  CHECK(bits(Format::mxfp8) == 8.25);
  CHECK(bits(Format::mxfp4) == 4.25);
  CHECK(bits(Format::nvfp4) == doctest::Approx(4.5 + one_scale));
}

/// The largest error that a number may have: for a float, relative to itself; for an integer, relative to the largest
/// with the same scale.
struct Tolerance {
  double relative, absolute;
};

Tolerance tolerance(Format format) {
  switch (format) {
    case Format::fp32: return {0, 0};
    case Format::fp16: return {0x1p-11, 0x1p-25 / 0.02};  // subnormals, whatever the spread
    case Format::bf16: return {0x1p-8, 0};
    case Format::fp8_e4m3: return {0x1p-4, 0x1p-10 / 448};
    case Format::fp8_e5m2: return {0x1p-3, 0x1p-17 / 57344};
    case Format::int8:
    case Format::int8_channel: return {0, 0.5 / 127};
    case Format::q8_0: return {0x1p-11, 0.5 / 127};
    case Format::q4_0: return {0x1p-11, 1.0 / 8};        // the end that 15 clips: +7 where +8 would be
    case Format::mxfp8: return {0x1p-3, 0x1p-10 / 256};  // 511 is clipped to 448
    case Format::mxfp4: return {1.0 / 4, 0.25 / 4};      // 7.9 is clipped to 6, 2.5 rounds to 2
    case Format::nvfp4: return {0.25 + 0x1p-4, 0.25 / 5};
  }
  return {};
}

TEST_CASE("no number comes back farther away than its format explains") {
  for (Format format : all_formats) {
    CAPTURE(std::string(id(format)));
    const Tolerance allowed = tolerance(format);
    for (float spread : {1.0f, 0.02f, 300.0f}) {
      const std::vector<float> x = matrix(spread), y = decode(encode(format, x, rows, columns));
      REQUIRE(y.size() == x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double bound = allowed.relative * std::abs(x[i]) + allowed.absolute * spread;
        REQUIRE(std::abs(y[i] - x[i]) <= bound * (1 + 1e-5));
      }
    }
  }
}

TEST_CASE("what was decoded is encoded as it was") {
  for (Format format : all_formats) {
    CAPTURE(std::string(id(format)));
    const std::vector<float> once = decode(encode(format, matrix(), rows, columns));
    const std::vector<float> twice = decode(encode(format, once, rows, columns));
    const float slack = format == Format::nvfp4 || format == Format::q8_0 || format == Format::q4_0 ? 1e-3f : 1e-6f;
    for (std::size_t i = 0; i < once.size(); ++i) REQUIRE(std::abs(twice[i] - once[i]) <= slack);
  }
}

TEST_CASE("zeros stay zeros, alone and in a row") {
  std::vector<float> x = matrix();
  std::fill_n(x.begin() + 2 * columns, columns, 0.0f);
  for (Format format : all_formats) {
    CAPTURE(std::string(id(format)));
    const std::vector<float> zeros(rows * columns, 0.0f);
    CHECK(decode(encode(format, zeros, rows, columns)) == zeros);
    const std::vector<float> y = decode(encode(format, x, rows, columns));
    CHECK(std::all_of(&y[2 * columns], &y[3 * columns], [](float v) { return v == 0; }));
  }
}

TEST_CASE("a row with a scale of its own does not suffer from another's outlier") {
  std::vector<float> x = matrix();
  x[0] = 1000;
  const auto worst_below = [&x](Format format) {
    const std::vector<float> y = decode(encode(format, x, rows, columns));
    double worst = 0;
    for (std::size_t i = columns; i < x.size(); ++i) worst = std::max<double>(worst, std::abs(y[i] - x[i]));
    return worst;
  };
  CHECK(worst_below(Format::int8) > 0.5);
  CHECK(worst_below(Format::int8_channel) < 0.005);
  CHECK(worst_below(Format::q8_0) < 0.005);
}

TEST_CASE("blocks lie one after the other, the scale first") {
  std::vector<float> x(64, 1.0f);
  std::fill_n(x.begin() + 32, 32, -8.0f);
  const EncodedMatrix q4 = encode(Format::q4_0, x, 1, 64);
  REQUIRE(q4.bytes.size() == 36);
  CHECK(q4.bytes[0] == std::byte{0x00});  // −1/8 in fp16, 0xb000, the low byte first
  CHECK(q4.bytes[1] == std::byte{0xb0});
  CHECK(q4.bytes[2] == std::byte{0x00});
  CHECK(q4.bytes[18] == std::byte{0x00});  // 1
  CHECK(q4.bytes[19] == std::byte{0x3c});
  CHECK(q4.bytes[35] == std::byte{0x00});
  const EncodedMatrix mx = encode(Format::mxfp4, x, 1, 64);
  REQUIRE(mx.bytes.size() == 34);
  CHECK(mx.bytes[0] == std::byte{125});
  CHECK(mx.bytes[17] == std::byte{128});
  CHECK(mx.bytes[33] == std::byte{0xee});  // −4, twice
}

TEST_CASE("normal numbers have the moments of N(0, 1), and are the same every time") {
  const std::vector<double> x = normal_numbers(200000, 5);
  double moments[5] = {};
  for (double v : x) {
    for (int power = 1; power <= 4; ++power) moments[power] += std::pow(v, power) / 200000;
  }
  CHECK(std::abs(moments[1]) < 0.01);
  CHECK(moments[2] == doctest::Approx(1).epsilon(0.02));
  CHECK(std::abs(moments[3]) < 0.03);
  CHECK(moments[4] == doctest::Approx(3).epsilon(0.03));
  CHECK(x == normal_numbers(200000, 5));
  CHECK(x[17] != normal_numbers(18, 7)[17]);
}

TEST_CASE("SQNR is the ratio of powers in dB") {
  const std::vector<double> x = {3, -4, 0};
  CHECK(sqnr_db(x, std::vector<double>{3, -4, 0.5}) == doctest::Approx(20));
  CHECK(sqnr_db(x, std::vector<float>{3, -4, 5}) == doctest::Approx(0));
  CHECK(std::isinf(sqnr_db(x, x)));
}

TEST_CASE("what formats lose of N(0, 1) is predicted") {
  constexpr std::size_t rows = 64, columns = 1024;
  const std::vector<double> x = normal_numbers(rows * columns, 11);
  const std::vector<float> numbers(x.begin(), x.end());
  for (Format format : all_formats) {
    CAPTURE(std::string(id(format)));
    const double sqnr = sqnr_db(x, decode(encode(format, numbers, rows, columns)));
    // One scale for all depends on one number, the largest of the sample.
    const double slack = format == Format::int8 ? 1 : 0.3;
    CHECK(std::abs(sqnr - predicted_sqnr_db(format, rows, columns)) < slack);
  }
}

}  // namespace
}  // namespace hf::precision
