// Times the product of a matrix and a vector in every format, and reading memory alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/check/gemv_reference.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/report/lab.hpp"
#include "kit/pinned.hpp"
#include "kit/random.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"
#include "kit/verify.hpp"

namespace hf::precision {
namespace {

const Axis format_axis = {"format", "1"}, bits_axis = {"bits of a weight, scales included", "bits"};
const Axis time_axis = {"time for one product", "us"}, speedup_axis = {"speedup over fp32", "1"};

constexpr std::size_t band = 64;  // random rows, which are then repeated
constexpr std::size_t columns = 16384;

/// Returns a number of rows for which the matrix, even at 4 bits, is `times` as large as the largest cache, or fewer
/// rows if memory is too small for all formats.
std::size_t rows_beyond_last_cache(const Machine& machine, double times) {
  const std::vector<float> some = random_floats(band * 32, 1);
  double bits_in_all = 0;
  for (const Format format : all_formats) bits_in_all += encode(format, some, band, 32).bits();
  const double cache = std::max(as_double(machine.last_level_cache_bytes()), 0x1p23), q4_0 = 4.5 / 8;
  const double room = static_cast<double>(available_memory_bytes()) / 3 / (bits_in_all / 8);
  const double weights = std::min(times * cache / q4_0, room);
  return band * std::max<std::size_t>(1, static_cast<std::size_t>(weights / as_double(band * columns)));
}

/// Returns the matrix in every format, made by repeating a few random rows, after checking its product.
std::vector<WeightMatrix> matrices_of(std::size_t rows, const std::vector<float>& x) {
  constexpr std::size_t checked_rows = 5;
  const std::vector<float> numbers = random_floats(band * columns, 1);
  std::vector<WeightMatrix> matrices;
  for (const Format format : all_formats) {
    matrices.emplace_back(encode(format, numbers, band, columns), rows / band);
    verify(worst_row_error(matrices.back(), x, checked_rows), std::string("GEMV in ") + label(format));
  }
  return matrices;
}

/// The same matrix in every format, far larger than the caches, and memory to read for comparison.
class Products {
 public:
  /// \throws OutOfMemory
  /// \throws std::runtime_error if a product is wrong
  explicit Products(std::size_t rows)
      : x_(random_floats(columns, 2)),
        y_(rows),
        matrices_(matrices_of(rows, x_)),
        set_(roofline::stream_sets(probe_machine()).back()),
        read_bytes_(in(Format::int8).bytes()),
        memory_(team_, read_bytes_),
        read_(pinned(roofline::one_thread(*set_, roofline::Stream::read, memory_, read_bytes_))),
        read_all_(roofline::all_threads(*set_, roofline::Stream::read, memory_, read_bytes_ / threads(), team_)) {}

  const WeightMatrix& in(Format format) const { return matrices_[static_cast<std::size_t>(format)]; }
  double bytes(Format format) const { return as_double(in(format).bytes()); }
  double bits(Format format) const { return 8 * bytes(format) / as_double(y_.size() * columns); }

  /// Variants for each format, and for only reading, on one thread and on all.
  std::vector<Variant> variants() {
    std::vector<Variant> variants = {read_, read_all_};
    for (const Format format : all_formats) {
      const auto multiply = [this, format] { this->multiply(format); };
      variants.push_back(pinned(timed(one(format), multiply)));
      variants.push_back(timed(all(format), multiply));
    }
    return variants;
  }
  static std::string one(Format format) { return id(format); }
  static std::string all(Format format) { return std::string(id(format)) + " all"; }

  /// Times each format's kernel with and without prefetching on one thread. Sets the choice with the smaller total
  /// time, except for formats that are faster with the other one in almost every round.
  /// \return the formats that prefetch
  std::vector<Format> choose_prefetching(const Plan& plan) {
    const auto prefetching = [](Format format) { return std::string(id(format)) + " prefetching"; };
    std::vector<Variant> variants;
    for (const Format format : all_formats) {
      for (const bool prefetch : {false, true}) {
        const auto multiply = [this, format, prefetch] {
          set_prefetching(format, prefetch);
          this->multiply(format);
        };
        variants.push_back(pinned(timed(prefetch ? prefetching(format) : one(format), multiply)));
      }
    }
    const Sampling sampling = sample_interleaved(variants, plan);
    double saved = 0;
    for (const Format format : all_formats)
      saved += sampling.of(one(format)).median - sampling.of(prefetching(format)).median;
    std::vector<Format> faster;
    for (const Format format : all_formats) {
      const Estimate gain = sampling.ratio(one(format), prefetching(format));
      const bool prefetch = saved > 0 ? gain.high >= 1 : gain.low > 1;
      set_prefetching(format, prefetch);
      if (prefetch) faster.push_back(format);
    }
    return faster;
  }

  /// GB/s of one thread and of all.
  Estimate read_gbs(const Sampling& sampling) const {
    return rate(roofline::pass_bytes(*set_, roofline::Stream::read, read_bytes_), sampling.of(read_.id));
  }
  Estimate read_all_gbs(const Sampling& sampling) const {
    const double bytes = roofline::pass_bytes(*set_, roofline::Stream::read, read_bytes_ / threads());
    return rate(as_double(threads()) * bytes, sampling.of(read_all_.id));
  }

 private:
  std::size_t threads() const { return static_cast<std::size_t>(team_.size()); }
  void multiply(Format format) { in(format).multiply(x_.data(), y_.data()); }

  std::vector<float> x_, y_;
  std::vector<WeightMatrix> matrices_;  ///< in the order of all_formats
  Team team_;
  const roofline::StreamSet* set_;
  std::size_t read_bytes_;
  roofline::StreamMemory memory_;
  Variant read_, read_all_;
};

/// GB/s at which one thread's slowest kernel, of all formats, processes a matrix that fills half of the level-2 cache:
/// its speed without waiting for memory.
double slowest_in_cache_gbs(const Machine& machine, const Plan& plan) {
  constexpr std::size_t width = 2048;
  const double cache = std::max(as_double(machine.cache_bytes(2)), 0x1p18) / 2;
  const std::vector<float> x = random_floats(width, 2);
  std::vector<WeightMatrix> matrices;
  for (const Format format : all_formats) {
    const double row_bytes = encode(format, random_floats(width, 1), 1, width).bits() / 8 * width;
    const std::size_t rows = std::max<std::size_t>(1, static_cast<std::size_t>(cache / row_bytes) / 32) * 32;
    matrices.emplace_back(format, random_floats(rows * width, 1), rows, width);
  }
  std::vector<float> y(static_cast<std::size_t>(2 * cache) / width);  // no format has less than 4 bits
  std::vector<Variant> variants;
  for (const WeightMatrix& matrix : matrices) {
    const auto multiply = [&] { matrix.multiply(x.data(), y.data()); };
    variants.push_back(pinned(timed(id(matrix.format()), multiply)));
  }
  const Sampling sampling = sample_interleaved(variants, plan);
  double slowest = INFINITY;
  for (const WeightMatrix& matrix : matrices)
    slowest = std::min(slowest, rate(as_double(matrix.bytes()), sampling.of(id(matrix.format()))).median);
  return slowest;
}

/// Adds one number for each format: a row in a page's table. A page refers to it as "gemv_speedup[q4_0]".
template <class NumberOf>
void add_by_format(Lab& lab, const char* id, const char* name, Kind kind, const Axis& axis, NumberOf number_of) {
  Series series = {id, name, kind, format_axis, axis};
  for (const Format format : all_formats) {
    series.points.emplace_back(static_cast<double>(format) + 1, number_of(format), label(format));
  }
  lab.add(std::move(series));
}

/// Adds measured times, and the times predicted from reading speed, with the narrowest formats first.
/// \return error of the worst prediction
double add_times(Lab& lab, const Products& products, const Sampling& sampling, Series measured,
                 const char* predicted_id, std::string (*variant)(Format), double read_gbs) {
  Series predicted = measured;
  predicted.id = predicted_id;
  predicted.label += ", predicted from bytes";
  predicted.kind = Kind::modelled;
  auto formats = all_formats;
  std::ranges::stable_sort(formats, {}, [&](Format format) { return products.bits(format); });
  double worst = 0;
  for (const Format format : formats) {
    const Estimate us = times(sampling.of(variant(format)), 1e6);
    const double expected = products.bytes(format) / read_gbs * 1e-3;
    measured.points.emplace_back(products.bits(format), us, label(format));
    predicted.points.emplace_back(products.bits(format), expected, label(format));
    worst = std::max(worst, std::abs(expected / us.median - 1));
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
  return worst;
}

/// Names the formats whose products prefetch.
std::string prefetching_note(const std::vector<Format>& formats) {
  const std::string what = "products with a vector ask for memory ahead of its use";
  if (formats.size() == all_formats.size()) return what + ", which is faster here";
  if (formats.empty()) return "products with a vector do not ask for memory ahead of its use, which is faster here";
  std::string names;
  for (const Format format : formats) names += (names.empty() ? "" : ", ") + std::string(label(format));
  return what + " where that is faster: " + names;
}

}  // namespace

void measure_gemv(Lab& lab) {
  Products products(rows_beyond_last_cache(lab.machine(), lab.quick() ? 2 : 4));
  const auto by_bytes = [&](Format format) { return products.bytes(Format::fp32) / products.bytes(format); };
  add_by_format(lab, "gemv_speedup_predicted", "predicted from bytes", Kind::modelled, speedup_axis, by_bytes);
  lab.show("Predicted, if a product takes as long as reading its bytes: speedup over fp32", {"gemv_speedup_predicted"});

  Plan choosing = lab.memory_plan(8);
  choosing.warm_seconds = 0;
  choosing.minimum_rounds = 5;
  lab.note(prefetching_note(products.choose_prefetching(choosing)));
  const double near = slowest_in_cache_gbs(lab.machine(), lab.plan(8));
  Plan plan = lab.memory_plan();
  plan.warm_seconds = 0;  // each product reads the matrix from memory
  plan.budget_seconds = lab.seconds_left();
  const Sampling sampling = sample_interleaved(products.variants(), plan);

  const Estimate read = products.read_gbs(sampling), read_all = products.read_all_gbs(sampling);
  const auto speedup = [&](Format format) {
    return sampling.ratio(Products::one(Format::fp32), Products::one(format));
  };
  add_by_format(lab, "gemv_speedup", "measured", Kind::measured, speedup_axis, speedup);
  lab.add(Value("gemv_read_gbs", read, "GB/s", "reading alone, one thread"));
  lab.derived("gemv_slowest_unpacking_over_read", near / read.median);
  lab.derived("gemv_prediction_error_worst",
              add_times(lab, products, sampling, {"gemv_time", "one thread", Kind::measured, bits_axis, time_axis},
                        "gemv_time_predicted", Products::one, read.median));
  lab.derived("gemv_all_prediction_error_worst",
              add_times(lab, products, sampling, {"gemv_all_time", "all threads", Kind::measured, bits_axis, time_axis},
                        "gemv_all_time_predicted", Products::all, read_all.median));
}

}  // namespace hf::precision
