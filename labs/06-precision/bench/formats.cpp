#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"
#include "harness/report/lab.hpp"

namespace hf::precision {
namespace {

constexpr std::size_t rows = 64, columns = 1024, samples = rows * columns;
const double db_per_bit = 20 * std::log10(2);
const Axis bits_axis = {"bits for each number", "bits"}, sqnr_axis = {"SQNR", "dB"};
const Axis pattern_axis = {"pattern", "1"}, share_axis = {"magnitude over the largest", "1"};

// ---- Which numbers a format has ----

/// The magnitudes of a format, divided by the largest of them.
Series magnitudes(const char* id, const char* label, const std::vector<double>& values) {
  Series series = {id, label, Kind::modelled, pattern_axis, share_axis};
  for (std::size_t i = 0; i < values.size(); ++i)
    series.points.emplace_back(static_cast<double>(i), values[i] / values.back());
  return series;
}

template <FloatLayout layout>
std::vector<double> floats() {
  std::vector<double> values;
  for (std::uint32_t pattern = 0; pattern <= layout.largest(); ++pattern) values.push_back(value_of<layout>(pattern));
  return values;
}

std::vector<double> integers(int largest) {
  std::vector<double> values;
  for (int value = 0; value <= largest; ++value) values.push_back(value);
  return values;
}

/// Density of N(0, 1), normalised to 1 at 0, for numbers divided by the largest of 32 of them, about 2.1.
Series density_in_block() {
  constexpr double typical_largest = 2.1;
  Series series = {"values_density", "N(0, 1) in a block of 32", Kind::modelled, share_axis, {"density", "1"}};
  for (int i = 0; i <= 32; ++i) {
    const double share = i / 32.0, x = share * typical_largest;
    series.points.emplace_back(share, std::exp(-x * x / 2));
  }
  return series;
}

void add_number_lines(Lab& lab) {
  lab.add(density_in_block());
  lab.add(magnitudes("values_int4", "4-bit integers", integers(8)));
  lab.add(magnitudes("values_e2m1", "E2M1", floats<e2m1_layout>()));
  lab.add(magnitudes("values_int8", "8-bit integers", integers(127)));
  lab.add(magnitudes("values_e4m3", "E4M3", floats<e4m3_layout>()));
  lab.add(magnitudes("values_e5m2", "E5M2", floats<e5m2_layout>()));
}

// ---- SQNR of each format on N(0, 1) ----

double bits_of(Format format) {
  const std::vector<float> zeros(samples, 0.0f);
  return encode(format, zeros, rows, columns).bits();
}

void predict_sqnr(Lab& lab) {
  Series predicted = {"sqnr_predicted", "predicted", Kind::modelled, bits_axis, sqnr_axis};
  for (Format format : all_formats) {
    predicted.points.emplace_back(bits_of(format), predicted_sqnr_db(format, rows, columns), label(format));
  }
  lab.add(std::move(predicted));
  lab.show("Predicted: N(0, 1) in each format", {"sqnr_predicted"});
}

/// One SQNR for each set of samples. Results that depend on a set's largest number differ between sets.
template <class Coded>
Estimate measured_sqnr(const std::vector<std::vector<double>>& sets, const Coded& coded) {
  std::vector<double> sqnr;
  for (const std::vector<double>& numbers : sets) {
    const std::vector<float> rounded(numbers.begin(), numbers.end());
    sqnr.push_back(sqnr_db(numbers, coded(rounded)));
  }
  return estimate(std::move(sqnr));
}

/// Encodes in MXFP8 with scales that clip no number, and decodes.
std::vector<float> mxfp8_unclipped(const std::vector<float>& numbers) {
  std::vector<float> coded(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); i += Mxfp8Block::numbers) {
    const auto block = mxfp8_unclipped_of(std::span(numbers).subspan(i, Mxfp8Block::numbers));
    decode(block, std::span(coded).subspan(i, Mxfp8Block::numbers));
  }
  return coded;
}

/// Encodes numbers as a matrix in the format, and decodes.
auto coded_in(Format format) {
  return [format](const std::vector<float>& numbers) { return decode(encode(format, numbers, rows, columns)); };
}

void add_sqnr(Lab& lab) {
  std::vector<std::vector<double>> sets;
  for (std::uint64_t set = 0; set < 31; ++set) sets.push_back(normal_numbers(samples, 6000 + 2 * set));
  Series measured = {"sqnr_by_bits", "measured", Kind::measured, bits_axis, sqnr_axis};
  Series limit = {"sqnr_limit", "6.02 dB for each bit", Kind::modelled, bits_axis, sqnr_axis};
  double error = 0;
  for (Format format : all_formats) {
    const Estimate sqnr = measured_sqnr(sets, coded_in(format));
    const double bits = bits_of(format);
    measured.points.emplace_back(bits, sqnr, label(format));
    error = std::max(error, std::abs(sqnr.median - predicted_sqnr_db(format, rows, columns)));
  }
  lab.add(Value("sqnr_mxfp8_unclipped_db", measured_sqnr(sets, mxfp8_unclipped), "dB"));
  for (int bits = 2; bits <= 16; ++bits) limit.points.emplace_back(bits, db_per_bit * bits);
  lab.add(std::move(measured));
  lab.add(std::move(limit));
  lab.simulated("sqnr_prediction_error_worst_db", error, "dB");
}

// ---- SQNR of each format on numbers with longer tails ----

/// Adds what each format keeps of numbers from Student's t, as the weights of a large model are distributed.
void add_long_tailed(Lab& lab) {
  std::vector<std::vector<double>> sets;
  for (std::uint64_t set = 0; set < 7; ++set) {
    const std::vector<float> numbers = student_numbers(samples, 6100 + 2 * set);
    sets.emplace_back(numbers.begin(), numbers.end());
  }
  Series kept = {"sqnr_long_tailed", "long tails", Kind::simulated, {"format", "1"}, sqnr_axis};
  for (Format format : all_formats) {
    if (format == Format::fp32) continue;  // these numbers are already in fp32
    kept.points.emplace_back(static_cast<double>(format), measured_sqnr(sets, coded_in(format)), label(format));
  }
  lab.add(std::move(kept));
}

}  // namespace

void measure_formats(Lab& lab) {
  add_number_lines(lab);
  predict_sqnr(lab);
  add_sqnr(lab);
  lab.tick();
  add_long_tailed(lab);
}

}  // namespace hf::precision
