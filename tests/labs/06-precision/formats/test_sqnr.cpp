// Signals, and their measured and expected noise after quantisation.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"

namespace hf::precision {
namespace {

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

TEST_CASE("a plain quantiser has as many steps as its bits say, and ends where its range does") {
  std::set<double> values;
  for (int i = -1000; i <= 1000; ++i) {
    const double x = i / 500.0, y = quantise_uniformly(x, 3, 1.0);
    values.insert(y);
    if (std::abs(x) <= 1) CHECK(std::abs(x - y) <= 0.125);
  }
  CHECK(values == std::set<double>{-0.875, -0.625, -0.375, -0.125, 0.125, 0.375, 0.625, 0.875});
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
