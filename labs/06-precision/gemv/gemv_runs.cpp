#include "06-precision/gemv/gemv_runs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "00-workload/alone.hpp"
#include "00-workload/checks.hpp"
#include "01-roofline/dispatch.hpp"
#include "01-roofline/stream_runs.hpp"
#include "06-precision/formats/formats.hpp"
#include "06-precision/gemv/gemv_reference.hpp"
#include "06-precision/gemv/tile_kernels.hpp"
#include "06-precision/gemv/weight_matrix.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {
namespace {

constexpr std::size_t band = 64;  // random rows, which are then repeated
constexpr std::size_t checked_rows = 5;

/// Bytes of a weight in all formats together.
double bytes_of_a_weight() {
  const std::vector<float> some = random_floats(band * 32, 1);
  double bits = 0;
  for (const Format format : all_formats) bits += encode(format, some, band, 32).bits();
  return bits / 8;
}

/// In every format; checked.
std::vector<WeightMatrix> matrices_of(const GemvShape& shape, const std::vector<float>& x) {
  const std::vector<float> rows = random_floats(band * shape.columns, 1);
  std::vector<WeightMatrix> matrices;
  for (const Format format : all_formats) {
    matrices.emplace_back(encode(format, rows, band, shape.columns), shape.rows / band);
    workload::demand(worst_row_error(matrices.back(), x, checked_rows), std::string("GEMV in ") + label(format));
  }
  return matrices;
}

}  // namespace

GemvShape shape_past_caches(const Machine& machine, double times) {
  constexpr std::size_t columns = 16384;
  const double cache = std::max(as_double(machine.last_level_cache_bytes()), 0x1p23), q4_0 = 4.5 / 8;
  const double room = static_cast<double>(available_memory_bytes()) / 3 / bytes_of_a_weight();
  const double weights = std::min(times * cache / q4_0, room);
  return {band * std::max<std::size_t>(1, static_cast<std::size_t>(weights / as_double(band * columns))), columns};
}

GemvRuns::GemvRuns(const GemvShape& shape)
    : x_(random_floats(shape.columns, 2)),
      y_(shape.rows),
      matrices_(matrices_of(shape, x_)),
      set_(roofline::kernel_sets(probe_machine()).back()),
      read_bytes_(matrices_[static_cast<std::size_t>(Format::int8)].bytes()),
      memory_(team_, read_bytes_),
      read_(workload::alone(roofline::one_thread(*set_, roofline::Stream::read, memory_, read_bytes_))),
      read_all_(roofline::all_threads(*set_, roofline::Stream::read, memory_,
                                      read_bytes_ / static_cast<std::size_t>(team_.size()), team_)) {}

std::vector<Variant> GemvRuns::variants() {
  std::vector<Variant> variants = {read_, read_all_};
  for (const WeightMatrix& matrix : matrices_) {
    const auto multiply = [this, &matrix] { matrix.multiply(x_.data(), y_.data()); };
    variants.push_back(workload::alone(timed(one(matrix.format()), multiply)));
    variants.push_back(timed(all(matrix.format()), multiply));
  }
  return variants;
}

Estimate GemvRuns::choose_to_ask_ahead(const Plan& plan) const {
  constexpr std::array formats = {Format::bf16, Format::fp8_e4m3, Format::q8_0, Format::q4_0};
  std::vector<float> y(y_.size());
  std::vector<Variant> variants;
  const auto asking = [](Format format) { return std::string(id(format)) + " asking"; };
  for (const Format format : formats) {
    for (const bool ask : {false, true}) {
      const auto multiply = [&, format, ask] {
        ask_ahead(ask);
        matrices_[static_cast<std::size_t>(format)].multiply(x_.data(), y.data());
      };
      variants.push_back(workload::alone(timed(ask ? asking(format) : one(format), multiply)));
    }
  }
  const Sampling sampling = sample_interleaved(variants, plan);
  double saved = 0;
  for (const Format format : formats) saved += sampling.of(one(format)).median - sampling.of(asking(format)).median;
  ask_ahead(saved > 0);
  return sampling.ratio(asking(Format::q4_0), one(Format::q4_0));
}

Estimate GemvRuns::read_gbs(const Sampling& sampling) const {
  const double bytes = roofline::pass_bytes(*set_, roofline::Stream::read, read_bytes_);
  return transform(sampling.of(read_.id), [bytes](double s) { return bytes / s * 1e-9; });
}

Estimate GemvRuns::read_all_gbs(const Sampling& sampling) const {
  const auto threads = static_cast<std::size_t>(team_.size());
  const double bytes = as_double(threads) * roofline::pass_bytes(*set_, roofline::Stream::read, read_bytes_ / threads);
  return transform(sampling.of(read_all_.id), [bytes](double s) { return bytes / s * 1e-9; });
}

std::vector<Estimate> in_cache_gbs(const Machine& machine, const Plan& plan) {
  constexpr std::size_t columns = 2048;
  const double cache = std::max(as_double(machine.cache_bytes(2)), 0x1p18) / 2;
  const std::vector<float> x = random_floats(columns, 2);
  std::vector<WeightMatrix> matrices;
  std::vector<std::vector<float>> results;
  for (const Format format : all_formats) {
    const std::vector<float> row = random_floats(columns, 1);
    const double row_bytes = encode(format, row, 1, columns).bits() / 8 * columns;
    const std::size_t rows = std::max<std::size_t>(1, static_cast<std::size_t>(cache / row_bytes) / 32) * 32;
    matrices.emplace_back(format, random_floats(rows * columns, 1), rows, columns);
    results.emplace_back(rows);
  }
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const auto multiply = [&, i] { matrices[i].multiply(x.data(), results[i].data()); };
    variants.push_back(workload::alone(timed(id(all_formats[i]), multiply)));
  }
  const Sampling sampling = sample_interleaved(variants, plan);
  std::vector<Estimate> speeds;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const double bytes = as_double(matrices[i].bytes());
    speeds.push_back(transform(sampling.seconds[i], [bytes](double s) { return bytes / s * 1e-9; }));
  }
  return speeds;
}

}  // namespace hf::precision
