#include "06-precision/bench/sparse_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "06-precision/kernels/sparsity/prune.hpp"
#include "06-precision/kernels/sparsity/sparse_gemm.hpp"
#include "06-precision/kernels/sparsity/sparse_matrix.hpp"
#include "06-precision/kernels/sparsity/two_four.hpp"
#include "common/loop_team.hpp"
#include "common/random.hpp"
#include "harness/lab.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {
namespace {

// ---- With a vector ----

constexpr std::size_t gemv_rows = 1024, gemv_columns = 4096, near_rows = 8;
constexpr double gemv_weights = static_cast<double>(gemv_rows * gemv_columns);

/// The race, while it is being set up.
class GemvRace {
 public:
  explicit GemvRace(double bytes) : bytes_(bytes), weights_(gemv_rows * gemv_columns) {
    fill_random(x_, 1);
    fill_random(weights_, 2);
  }

  const std::vector<float>& weights() const { return weights_; }

  /// Enters the weights in a dense format.
  void enter(Format format) {
    const EncodedMatrix encoded = encode(format, weights_, gemv_rows, gemv_columns);
    const std::size_t repeats = repeats_of(encoded.bytes.size());
    const auto matrix = std::make_shared<WeightMatrix>(encoded, repeats);
    enter(id(format), 1, matrix->bytes(), repeats, [matrix, this] {
      const OneCore one;
      matrix->multiply(x_.data(), room_for(matrix->rows()));
    });
  }

  /// Enters a sparse matrix, copied so often that no cache holds the copies; one call multiplies by all of them.
  template <class Matrix>
  void enter(const std::string& storage, double density, const Matrix& matrix) {
    const auto copies = std::make_shared<std::vector<Matrix>>(repeats_of(matrix.bytes()), matrix);
    enter(storage, density, matrix.bytes() * copies->size(), copies->size(), [copies, this] {
      for (const Matrix& each : *copies) each.multiply(x_.data(), room_for(gemv_rows));
    });
  }

  /// Enters a matrix of few rows, which stays in the caches: what the instructions take.
  template <class Matrix>
  void enter_near(const std::string& storage, double density, const Matrix& matrix) {
    const auto near = std::make_shared<Matrix>(matrix);
    variants_.push_back(timed(storage + " near " + std::to_string(density),
                              [near, this] { near->multiply(x_.data(), room_for(near_rows)); }));
    near_.push_back({storage, density, variants_.back().id});
  }

  std::vector<SparseGemvTime> run(const Plan& plan) {
    const Pinned pinned;
    const Sampling sampling = sample_interleaved(variants_, plan);
    const auto over_dense = [&](const std::string& id, double rows) {
      return times(sampling.ratio(id, ids_.front()), static_cast<double>(repeats_.front() * gemv_rows) / rows);
    };
    for (std::size_t i = 0; i < times_.size(); ++i)
      times_[i].over_dense = over_dense(ids_[i], static_cast<double>(repeats_[i] * gemv_rows));
    for (std::size_t i = 0; i + 1 < near_.size(); i += 2) {  // of each way the lowest density and the highest
      const Near &low = near_[i], &high = near_[i + 1];
      const double at_low = over_dense(low.id, near_rows).median, at_high = over_dense(high.id, near_rows).median;
      for (SparseGemvTime& time : times_) {
        const double share = (time.density - low.density) / (high.density - low.density);
        if (time.storage == low.storage) time.in_cache = at_low + share * (at_high - at_low);
      }
    }
    return std::move(times_);
  }

 private:
  struct Near {
    std::string storage;
    double density;
    std::string id;  ///< of the variant
  };

  std::size_t repeats_of(std::size_t bytes) const {
    return static_cast<std::size_t>(std::ceil(bytes_ / static_cast<double>(bytes)));
  }

  /// For results that nobody reads.
  float* room_for(std::size_t rows) {
    if (y_.size() < rows) y_.resize(rows);
    return y_.data();
  }

  template <class Multiply>
  void enter(const std::string& storage, double density, std::size_t bytes, std::size_t repeats, Multiply multiply) {
    room_for(repeats * gemv_rows);
    ids_.push_back(storage + " " + std::to_string(density));
    variants_.push_back(timed(ids_.back(), std::move(multiply)));
    times_.push_back(
        {storage, density, static_cast<double>(bytes) / (static_cast<double>(repeats) * gemv_weights), {}});
    repeats_.push_back(repeats);
  }

  double bytes_;
  Buffer x_memory_ = Buffer(gemv_columns * sizeof(float), Pages::huge);  ///< aligned
  std::span<float> x_ = x_memory_.as<float>();
  std::vector<float> weights_, y_;
  std::vector<Variant> variants_;
  std::vector<SparseGemvTime> times_;
  std::vector<std::string> ids_;      ///< of the variants in times_
  std::vector<std::size_t> repeats_;  ///< of the matrix, in each of them
  std::vector<Near> near_;
};

}  // namespace

double past_caches_bytes(std::size_t densities) {
  constexpr double cache_at_least = 8 << 20, matrices_for_each = 3, others = 4;
  const double largest_cache = static_cast<double>(probe_machine().last_level_cache_bytes());
  const double matrices = matrices_for_each * static_cast<double>(densities) + others;
  return std::min(4 * std::max(cache_at_least, largest_cache),
                  static_cast<double>(available_memory_bytes()) / 2 / matrices);
}

std::vector<SparseGemvTime> time_sparse_gemv(const std::vector<double>& densities, double bytes, const Plan& plan) {
  GemvRace race(bytes);
  for (Format format : {Format::fp32, Format::q8_0, Format::q4_0}) race.enter(format);
  race.enter("two_four", 0.5, TwoFourMatrix(pruned_2_4(race.weights()), gemv_rows, gemv_columns));
  for (double density : densities) {
    const std::vector<float> sparse = pruned(race.weights(), density);
    race.enter("csr32", density, CsrMatrix<std::uint32_t>(sparse, gemv_rows, gemv_columns));
    race.enter("csr16", density, CsrMatrix<std::uint16_t>(sparse, gemv_rows, gemv_columns));
    race.enter("bitmask", density, BitmaskMatrix(sparse, gemv_rows, gemv_columns));
  }
  const std::span<const float> few = std::span(race.weights()).first(near_rows * gemv_columns);
  const std::vector<float> low = pruned(few, densities.front()), high = pruned(few, densities.back());
  const auto enter_near = [&]<class Matrix>(const std::string& storage) {
    race.enter_near(storage, densities.front(), Matrix(low, near_rows, gemv_columns));
    race.enter_near(storage, densities.back(), Matrix(high, near_rows, gemv_columns));
  };
  enter_near.operator()<CsrMatrix<std::uint32_t>>("csr32");
  enter_near.operator()<CsrMatrix<std::uint16_t>>("csr16");
  enter_near.operator()<BitmaskMatrix>("bitmask");
  return race.run(plan);
}

// ---- With a matrix ----

SparseGemmTimes time_sparse_gemm(const std::vector<double>& densities, const Plan& plan) {
  constexpr std::size_t n = 256;
  const Buffer memory(3 * n * n * sizeof(float), Pages::huge);
  const std::span<float> all = memory.as<float>(), a = all.subspan(0, n * n), b = all.subspan(n * n, n * n),
                         c = all.subspan(2 * n * n, n * n);
  fill_random(a, 1);
  fill_random(b, 2);
  const roofline::KernelSet& loops = *roofline::kernel_sets(probe_machine()).back();
  const std::size_t near = (std::size_t{16} << 10) / sizeof(float);  // in the nearest cache
  std::vector<CsrMatrix<std::uint16_t>> sparse;
  for (double density : densities) sparse.emplace_back(pruned(a, density), n, n);
  const TwoFourMatrix two_four(pruned_2_4(a), n, n);

  std::vector<Variant> variants = {timed("dense", [&] { matmul::gemm(n, n, n, a.data(), b.data(), c.data()); }),
                                   timed("read", [&] { loops.read(b.data(), near, 1); }),
                                   timed("two_four", [&] { two_four.multiply(n, b.data(), c.data()); })};
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    variants.push_back(timed(std::to_string(i), [&, i] { sparse_gemm(sparse[i], n, b.data(), c.data()); }));
  }
  const Pinned pinned;
  const Sampling sampling = sample_interleaved(variants, plan);
  SparseGemmTimes result;
  for (std::size_t i = 0; i < sparse.size(); ++i)
    result.over_dense.push_back(sampling.ratio(std::to_string(i), "dense"));
  result.two_four_over_dense = sampling.ratio("two_four", "dense");
  const double loaded = sparse_gemm_bytes_loaded * static_cast<double>(n * n * n);
  const double reads = loaded / static_cast<double>(near * sizeof(float));
  result.full_predicted = reads * sampling.ratio("read", "dense").median;
  return result;
}

double first_density(const std::vector<double>& x, const std::vector<double>& y, double level) {
  if (y.front() >= level) return 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (y[i] >= level) return x[i - 1] + (x[i] - x[i - 1]) * (level - y[i - 1]) / (y[i] - y[i - 1]);
  }
  return 1;
}

}  // namespace hf::precision
