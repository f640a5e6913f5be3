// Compares square products in int8 and bf16 with products in fp32, with oneDNN, and with the peak of the instructions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "04-tpu/kernels/int8_gemm.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "common/peers/onednn_peer.hpp"
#include "common/pinned_openmp.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "common/verify.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/report/lab.hpp"

namespace hf::precision {
namespace {

const Axis size_axis = {"N", "1"}, speed_axis = {"speed", "Gop/s"}, ratio_axis = {"ratio", "1"};

constexpr std::int64_t peak_iterations = 20000;  // 0.1 ms

double cube(std::size_t n) { return as_double(n) * as_double(n) * as_double(n); }

// ---- The products of one size ----

/// A square matrix.
template <class Number>
struct Square {
  explicit Square(std::size_t n) : memory(n * n * sizeof(Number), Pages::huge) {}
  Number* data() const { return memory.as<Number>().data(); }

  Buffer memory;
};

/// Results of one size and number of threads, sampled in one interleaved run. Variants are our products "bf16" and
/// "int8"; "onednn_bf16" and "onednn_int8" if oneDNN is installed; and on one thread "fp32", chapter 02's product,
/// "peak_bf16", if the processor has the instruction, and "peak_int8", the instructions alone. We and oneDNN pack
/// narrow weights beforehand.
struct UnitTimes {
  std::size_t n;
  Sampling sampling;
  std::map<std::string, double> operations;  ///< in one call

  bool has(const std::string& id) const { return operations.contains(id); }
  /// Speed in 10^9 operations a second.
  Estimate gops(const std::string& id) const { return rate(operations.at(id), sampling.of(id)); }
  /// Ratio of two speeds, from paired samples.
  Estimate over(const std::string& id, const std::string& other) const {
    return times(sampling.ratio(other, id), operations.at(id) / operations.at(other));
  }
  /// Seconds for one call of each variant.
  double seconds() const {
    double sum = 0;
    for (const Estimate& each : sampling.seconds) sum += each.median;
    return sum;
  }
};

/// Random operands and their products; the bf16 and fp32 operands are the same numbers.
class UnitRace {
 public:
  /// \throws OutOfMemory
  UnitRace(const Machine& machine, std::size_t size)
      : n_(size), kernel_(*tpu::int8_kernels(machine).front()), dot_products_(roofline::dot_product_loops(machine)) {
    for (std::size_t i = 0; i < n_ * n_; ++i) {
      a_.data()[i] = from_bf16(a16_.data()[i] = bf16_of(random_number(1, i)));
      b_.data()[i] = from_bf16(b16_.data()[i] = bf16_of(random_number(2, i)));
    }
    std::ranges::copy(random_bytes<std::uint8_t>(n_ * n_, 3), a8_.data());
    std::ranges::copy(random_bytes<std::int8_t>(n_ * n_, 4), b8_.data());
  }

  /// Bytes of memory that a race needs.
  static double bytes(std::size_t n) {
    constexpr double fp32 = 3 * sizeof(float), bf16 = 2 * 2 + 2 * 2,
                     int8 = 2 + 4 + 2;  // bf16, int8: three copies of the weights
    return as_double(n) * as_double(n) * (fp32 + bf16 + int8);
  }

  /// Times all products after comparing each with a reference in some places. Leaves out a peer whose result is wrong
  /// or that fails, and notes this in one line. Also notes which kernels oneDNN used.
  /// \pre a PinnedOpenMp with as many threads exists
  /// \throws std::runtime_error with one line if one of our products is wrong
  UnitTimes run(int threads, const Plan& plan, std::set<std::string>& notes) {
    variants_.clear();
    operations_.clear();
    enter_ours(threads);
    if (has_onednn()) {
      enter_onednn("onednn_bf16", a16_.data(), b16_.data(), c_.data(), threads, notes);
      enter_onednn("onednn_int8", a8_.data(), b8_.data(), c32_.data(), threads, notes);
    }
    if (threads == 1) enter_peaks();
    return {n_, sample_interleaved(variants_, plan), operations_};
  }

 private:
  static constexpr std::size_t checked_places = 100;

  double error(const float* product) const {
    return worst_product_error(n_, n_, n_, a_.data(), b_.data(), product, checked_places);
  }
  double error(const std::int32_t* product) const {
    double worst = 0;
    visit_places(n_, n_, checked_places, [&](std::size_t i, std::size_t j) {
      std::int64_t sum = 0;
      for (std::size_t p = 0; p < n_; ++p) sum += std::int64_t{a8_.data()[i * n_ + p]} * b8_.data()[p * n_ + j];
      if (product[i * n_ + j] != sum) worst = INFINITY;
    });
    return worst;
  }

  template <class Code>
  void enter(const std::string& id, double operations, const Code& code) {
    variants_.push_back(timed(id, code));
    operations_[id] = operations;
  }

  /// Enters a product, unless it is wrong. \return its error as a share of the allowed error
  template <class Sum, class Multiply>
  double enter_product(const std::string& id, Sum* to, const Multiply& multiply) {
    constexpr Sum poison = std::numeric_limits<Sum>::has_quiet_NaN ? std::numeric_limits<Sum>::quiet_NaN()
                                                                   : std::numeric_limits<Sum>::min();
    std::fill_n(to, n_ * n_, poison);
    multiply();
    const double worst = error(to);
    if (worst <= 1) enter(id, 2 * cube(n_), multiply);
    return worst;
  }

  void enter_ours(int threads) {
    const auto enter_verified = [&](const std::string& id, auto* to, const auto& multiply) {
      verify(enter_product(id, to, multiply), "the " + id + " product of size " + std::to_string(n_));
    };
    if (threads == 1)
      enter_verified("fp32", c_.data(), [this] { matmul::gemm(n_, n_, n_, a_.data(), b_.data(), c_.data()); });
    const auto weights = std::make_shared<const PackedBf16>(n_, n_, b16_.data());
    enter_verified("bf16", c_.data(),
                   [this, threads, weights] { weights->multiply(n_, a16_.data(), c_.data(), threads); });
    const auto weights8 = std::make_shared<const tpu::PackedInt8>(kernel_, n_, n_, b8_.data());
    enter_verified("int8", c32_.data(),
                   [this, threads, weights8] { weights8->multiply(n_, a8_.data(), c32_.data(), threads); });
  }

  template <class Left, class Right, class Sum>
  void enter_onednn(const std::string& id, const Left* left, const Right* right, Sum* to, int threads,
                    std::set<std::string>& notes) {
    const std::string at = id + " at " + std::to_string(n_);
    try {
      const OneDnnProduct product(n_, n_, n_, left, right, to, threads);
      const bool right_product = enter_product(id, to, [product] { product.run(); }) <= 1;
      notes.insert(right_product ? id + " is its kernel " + product.implementation()
                                 : at + " computes something else and is left out");
    } catch (const std::runtime_error& refusal) {
      notes.insert(at + " is left out: " + refusal.what());
    }
  }

  /// Enters the instructions alone.
  void enter_peaks() {
    for (const roofline::DotProductLoop* loop : dot_products_) {
      if (std::string_view(loop->label) != "bf16") continue;
      enter("peak_bf16", loop->operations * as_double(peak_iterations),
            [loop] { keep(loop->run(peak_iterations, 3, 5)); });
    }
    enter("peak_int8", kernel_.peak_operations * as_double(peak_iterations),
          [this] { keep(kernel_.peak(peak_iterations, 3, 5)); });
  }

  std::size_t n_;
  const tpu::Int8Kernel& kernel_;
  std::vector<const roofline::DotProductLoop*> dot_products_;
  Square<float> a_{n_}, b_{n_}, c_{n_};
  Square<std::uint16_t> a16_{n_}, b16_{n_};
  Square<std::uint8_t> a8_{n_};
  Square<std::int8_t> b8_{n_};
  Square<std::int32_t> c32_{n_};
  std::vector<Variant> variants_;
  std::map<std::string, double> operations_;
};

// ---- Of growing size ----

/// Races of growing size on a number of threads. On all threads, only oneDNN is raced.
struct Races {
  int threads;
  std::vector<UnitTimes> sizes = {};
};

/// Predicts speeds: an instruction's operations are proportional to the numbers that fit into a register, and it starts
/// as often as one in fp32.
void predict_units(Lab& lab) {
  lab.modelled("bf16_gemm_over_fp32_predicted", sizeof(float) / 2.0);
  lab.modelled("int8_gemm_over_fp32_predicted", sizeof(float) / 1.0);
}

void note_who_races(Lab& lab, const std::string& onednn) {
  lab.note(has_onednn() ? "raced in int8 and bf16: " + onednn
                        : "no oneDNN 3 to race against in int8 and bf16: the record lacks what compares with it");
  lab.note(!has_bf16_dot() ? "bf16 products are widened to fp32: this core has no instruction for them"
           : faster_bf16_route() == Bf16Route::widen
               ? "bf16 products are widened to fp32, which is faster here than the instruction for them"
               : "bf16 products use the instruction for them, which is faster here than to widen them to fp32");
}

std::vector<std::size_t> unit_sizes(const Lab& lab) {
  if (lab.quick()) return {256, 512, 1024};
  return {256, 512, 1024, 2048, 4096};
}

/// The weight of a size's share of the time: proportional to its work, with a minimum for small sizes.
double weight(std::size_t n) { return cube(n) + 6e9; }

Plan race_plan(const Lab& lab, std::size_t n, double share) {
  double all = 0;
  for (const std::size_t size : unit_sizes(lab)) all += weight(size);
  Plan plan = lab.plan();
  plan.budget_seconds *= share * weight(n) / all;
  plan.minimum_rounds = 3;
  plan.sample_seconds = 4e-3;
  if (n > 1000) plan.warm_seconds = 0;  // a sample takes longer than refilling the caches
  return plan;
}

/// True if the next size, twice as large, would take too long for enough samples.
bool is_too_slow(const Lab& lab, const Races& races) {
  constexpr double growth = 8, calls = 5;
  return !races.sizes.empty() && calls * growth * races.sizes.back().seconds() > lab.step_seconds();
}

void race_all_sizes(Lab& lab, std::vector<Races>& all) {
  std::set<std::string> notes;
  for (const std::size_t n : unit_sizes(lab)) {
    const bool too_large = UnitRace::bytes(n) > 0.5 * static_cast<double>(available_memory_bytes());
    if (too_large || is_too_slow(lab, all.front())) {
      lab.note(std::string(too_large ? "too little memory" : "too slow") + " for products of narrow numbers of size " +
               std::to_string(n));
      break;
    }
    UnitRace race(lab.machine(), n);
    for (Races& races : all) {
      const double share = all.size() == 1 ? 1 : races.threads == 1 ? 0.65 : 0.35;
      races.sizes.push_back(race.run(races.threads, race_plan(lab, n, share), notes));
    }
  }
  for (const std::string& line : notes) lab.note(line);
}

/// Adds one series of speed over size for each variant on one thread.
void add_speeds(Lab& lab, const Races& races, const std::string& onednn) {
  struct SpeedSeries {
    std::string runner, id, label;
  };
  const std::vector<SpeedSeries> all = {{"fp32", "fp32_gemm", "fp32"},
                                        {"bf16", "bf16_gemm", "bf16"},
                                        {"int8", "int8_gemm", "int8"},
                                        {"onednn_bf16", "onednn_bf16", onednn + ", bf16"},
                                        {"onednn_int8", "onednn_int8", onednn + ", int8"},
                                        {"peak_bf16", "unit_peak_bf16", "bf16 peak"},
                                        {"peak_int8", "unit_peak_int8", "int8 peak"}};
  for (const auto& [runner, id, label] : all) {
    Series series = {id, label, Kind::measured, size_axis, speed_axis};
    for (const UnitTimes& size : races.sizes) {
      if (size.has(runner)) series.points.emplace_back(as_double(size.n), size.gops(runner));
    }
    if (!series.points.empty()) lab.add(std::move(series));
  }
}

/// Adds our speed relative to oneDNN's at every size. \return the lowest ratio; nullopt without oneDNN
std::optional<double> add_ratio_to_onednn(Lab& lab, const Races& races, const std::string& precision, const char* id) {
  Series ratios = {id, precision, Kind::measured, size_axis, ratio_axis};
  double least = std::numeric_limits<double>::infinity();
  for (const UnitTimes& size : races.sizes) {
    if (!size.has("onednn_" + precision)) continue;
    ratios.points.emplace_back(as_double(size.n), size.over(precision, "onednn_" + precision));
    least = std::min(least, ratios.points.back().y.median);
  }
  if (ratios.points.empty()) return {};
  lab.add(std::move(ratios));
  return least;
}

/// Adds the results of the largest product on one thread.
void add_largest(Lab& lab, const Races& races) {
  const UnitTimes& largest = races.sizes.back();
  const auto add_over = [&](const char* id, const char* runner, const char* other) {
    if (largest.has(runner) && largest.has(other)) lab.add(Value(id, largest.over(runner, other), "1"));
  };
  add_over("bf16_gemm_over_fp32", "bf16", "fp32");
  add_over("int8_gemm_over_fp32", "int8", "fp32");
  add_over("int8_gemm_over_peak", "int8", "peak_int8");
}

// ---- Without the unit ----

/// Speed of an 8-bit product with AVX2, which widens numbers to 16 bits, relative to the peak of AVX2's FMAs in fp32,
/// the upper limit for any fp32 product. On one thread, from paired samples; nullopt on a machine without AVX2.
/// \throws std::runtime_error with one line if the product is wrong
std::optional<Estimate> int8_over_fp32_on_avx2(const Machine& machine, const Plan& plan) {
  constexpr std::size_t n = 512;
  const auto of_avx2 = [](const auto* kernels) { return std::string_view(kernels->name) == "AVX2"; };
  const std::vector kernels = tpu::int8_kernels(machine);
  const std::vector sets = roofline::kernel_sets(machine);
  const auto int8 = std::ranges::find_if(kernels, of_avx2);
  const auto set = std::ranges::find_if(sets, of_avx2);
  if (int8 == kernels.end() || set == sets.end()) return std::nullopt;
  const auto flops = [](const roofline::PeakLoop& loop) { return loop.run == nullptr || loop.fp64 ? 0 : loop.flops; };
  const roofline::PeakLoop* const fp32 = &*std::ranges::max_element((*set)->peaks, {}, flops);  // FMAs on all lanes
  const auto a = random_bytes<std::uint8_t>(n * n, 1);
  const auto b = random_bytes<std::int8_t>(n * n, 2);
  std::vector<std::int32_t> c(n * n);
  const tpu::PackedInt8 weights(**int8, n, n, b.data());
  const auto multiply = [&] { weights.multiply(n, a.data(), c.data()); };
  multiply();
  std::int64_t last = 0;
  for (std::size_t p = 0; p < n; ++p) last += std::int64_t{a[(n - 1) * n + p]} * b[p * n + n - 1];
  if (c.back() != last) throw std::runtime_error("the int8 product on AVX2 is wrong; nothing was timed");
  const Sampling sampling = sample_interleaved(
      {timed("int8", multiply), timed("fp32", [&] { keep(fp32->run(peak_iterations, 0.5, 1)); })}, plan);
  const double operations = 2.0 * n * n * n, peak_operations = fp32->flops * peak_iterations;
  return times(sampling.ratio("fp32", "int8"), operations / peak_operations);
}

}  // namespace

void measure_units(Lab& lab) {
  const std::string onednn = onednn_name();
  predict_units(lab);
  const int cores = lab.machine().cores;
  const PinnedOpenMp pinned(cores);
  note_who_races(lab, onednn);
  std::vector<Races> all = {{1}};
  if (cores > 1 && has_onednn()) all.push_back({cores});
  race_all_sizes(lab, all);
  add_speeds(lab, all.front(), onednn);
  add_ratio_to_onednn(lab, all.front(), "bf16", "bf16_over_onednn_by_size");
  if (const auto least = add_ratio_to_onednn(lab, all.front(), "int8", "int8_over_onednn_by_size"))
    lab.derived("int8_gemm_over_onednn", *least);
  if (all.size() > 1) {
    add_ratio_to_onednn(lab, all.back(), "bf16", "bf16_over_onednn_all_by_size");
    add_ratio_to_onednn(lab, all.back(), "int8", "int8_over_onednn_all_by_size");
  }
  add_largest(lab, all.front());
  Plan plan = lab.plan();
  plan.budget_seconds = 0.02 * lab.step_seconds();
  if (const auto gain = int8_over_fp32_on_avx2(lab.machine(), plan))  // without an int8 instruction
    lab.add(Value("int8_avx2_over_fp32_avx2_peak", *gain, "1"));
}

}  // namespace hf::precision
