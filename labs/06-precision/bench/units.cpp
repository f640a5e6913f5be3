// Compares products in int8 and bf16 with products in fp32, and with oneDNN, on one thread: square ones, and those of a
// layer that reads a prompt.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/report/lab.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/narrow/int8_gemm.hpp"
#include "kit/peers/onednn_peer.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/verify.hpp"

namespace hf::precision {
namespace {

/// The sides of a product: a (m, k), b (k, n), c (m, n).
struct Sides {
  std::size_t m, n, k;

  std::string text() const { return std::to_string(m) + " × " + std::to_string(n) + " × " + std::to_string(k); }
};

/// A matrix.
template <class Number>
struct Matrix {
  Matrix(std::size_t rows, std::size_t columns) : memory(rows * columns * sizeof(Number), Pages::huge) {}
  Number* data() const { return memory.as<Number>().data(); }

  Buffer memory;
};

/// Random operands and their products; the bf16 and fp32 operands are the same numbers. Variants are our products
/// "bf16" and "int8", chapter 02's "fp32" if it races, and "onednn_bf16" and "onednn_int8" if oneDNN is installed. We
/// and oneDNN pack narrow weights beforehand.
class UnitRace {
 public:
  /// \param most  the sides, with as many rows of a as any race has
  /// \throws OutOfMemory
  UnitRace(const Machine& machine, const Sides& most) : sides_(most), kernel_(*tpu::int8_kernels(machine).front()) {
    const auto [m, n, k] = most;
    for (std::size_t i = 0; i < m * k; ++i) a_.data()[i] = from_bf16(a16_.data()[i] = bf16_of(random_number(1, i)));
    for (std::size_t i = 0; i < k * n; ++i) b_.data()[i] = from_bf16(b16_.data()[i] = bf16_of(random_number(2, i)));
    std::ranges::copy(random_bytes<std::uint8_t>(m * k, 3), a8_.data());
    std::ranges::copy(random_bytes<std::int8_t>(k * n, 4), b8_.data());
    bf16_weights_.emplace(n, k, b16_.data());
    int8_weights_.assign(kernel_, n, k, b8_.data());
  }

  /// Times all products of the first rows of a, after comparing each with a reference in some places. Leaves out a peer
  /// whose result is wrong or that fails, and notes this in one line. Also notes which kernels oneDNN used.
  /// \throws std::runtime_error with one line if one of our products is wrong
  Sampling run(Lab& lab, const Plan& plan, std::size_t rows, bool with_fp32) {
    variants_.clear();
    sides_.m = rows;
    enter_ours(with_fp32);
    if (has_onednn()) {
      enter_onednn(lab, "onednn_bf16", a16_.data(), b16_.data(), c_.data());
      enter_onednn(lab, "onednn_int8", a8_.data(), b8_.data(), c32_.data());
    }
    const Pinned pinned;
    return sample_interleaved(variants_, plan);
  }

 private:
  static constexpr std::size_t checked_places = 100;

  double error(const float* product) const {
    const auto [m, n, k] = sides_;
    return worst_product_error(m, n, k, a_.data(), b_.data(), product, checked_places);
  }
  double error(const std::int32_t* product) const {
    const auto [m, n, k] = sides_;
    double worst = 0;
    visit_places(m, n, checked_places, [&, n = n, k = k](std::size_t i, std::size_t j) {
      std::int64_t sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += std::int64_t{a8_.data()[i * k + p]} * b8_.data()[p * n + j];
      if (product[i * n + j] != sum) worst = INFINITY;
    });
    return worst;
  }

  /// Enters a product, unless it is wrong. \return its error as a share of the allowed error
  template <class Sum, class Multiply>
  double enter_product(const std::string& id, Sum* to, const Multiply& multiply) {
    constexpr Sum poison = std::numeric_limits<Sum>::has_quiet_NaN ? std::numeric_limits<Sum>::quiet_NaN()
                                                                   : std::numeric_limits<Sum>::min();
    std::fill_n(to, sides_.m * sides_.n, poison);
    multiply();
    const double worst = error(to);
    if (worst <= 1) variants_.push_back(timed(id, multiply));
    return worst;
  }

  void enter_ours(bool with_fp32) {
    const auto enter_verified = [&](const std::string& id, auto* to, const auto& multiply) {
      verify(enter_product(id, to, multiply), "the " + id + " product " + sides_.text());
    };
    const auto [m, n, k] = sides_;
    if (with_fp32) {
      enter_verified("fp32", c_.data(),
                     [this, m = m, n = n, k = k] { matmul::gemm(m, n, k, a_.data(), b_.data(), c_.data()); });
    }
    enter_verified("bf16", c_.data(), [this, m = m] { bf16_weights_->multiply(m, a16_.data(), c_.data()); });
    enter_verified("int8", c32_.data(), [this, m = m] { int8_weights_.multiply(m, a8_.data(), c32_.data()); });
  }

  template <class Left, class Right, class Sum>
  void enter_onednn(Lab& lab, const std::string& id, const Left* left, const Right* right, Sum* to) {
    try {
      const OneDnnProduct product(sides_.m, sides_.n, sides_.k, left, right, to);
      const std::string kernel = id + " is its kernel " + product.implementation();
      if (enter_product(id, to, [product] { product.run(); }) > 1) {
        lab.note(id + ", " + sides_.text() + ", gives a different result and is left out");
      } else if (std::ranges::find(lab.results().notes, kernel) == lab.results().notes.end()) {
        lab.note(kernel);
      }
    } catch (const std::runtime_error& refusal) {
      lab.note(id + " is left out: " + refusal.what());
    }
  }

  Sides sides_;
  const tpu::Int8Kernel& kernel_;
  Matrix<float> a_{sides_.m, sides_.k}, b_{sides_.k, sides_.n}, c_{sides_.m, sides_.n};
  Matrix<std::uint16_t> a16_{sides_.m, sides_.k}, b16_{sides_.k, sides_.n};
  Matrix<std::uint8_t> a8_{sides_.m, sides_.k};
  Matrix<std::int8_t> b8_{sides_.k, sides_.n};
  Matrix<std::int32_t> c32_{sides_.m, sides_.n};
  std::optional<PackedBf16> bf16_weights_;
  tpu::PackedInt8 int8_weights_;
  std::vector<Variant> variants_;
};

/// Predicts speeds: an instruction's operations are proportional to the numbers that fit into a register, and it starts
/// as often as one in fp32.
void predict_units(Lab& lab) {
  lab.modelled("bf16_gemm_over_fp32_predicted", sizeof(float) / 2.0);
  lab.modelled("int8_gemm_over_fp32_predicted", sizeof(float) / 1.0);
}

void note_who_races(Lab& lab, const std::string& onednn) {
  lab.note(has_onednn() ? "raced in int8 and bf16: " + onednn
                        : "no oneDNN 3 to race against in int8 and bf16: the record has no comparison with it");
  lab.note(!has_bf16_dot() ? "bf16 inputs are widened to fp32: this core has no instruction for bf16 products"
           : faster_bf16_route() == Bf16Route::widen
               ? "bf16 inputs are widened to fp32, which is faster here than the instruction for bf16 products"
               : "bf16 products use the instruction for them, which is faster here than widening the inputs to fp32");
}

/// Our speed relative to oneDNN's, a point for each run in which oneDNN took part.
class OverOneDnn {
 public:
  OverOneDnn(const char* id, const std::string& precision, const Axis& axis)
      : ours_(precision), ratios_{id, precision, Kind::measured, axis, {"ratio", "1"}} {}

  void add(std::size_t x, const Sampling& sampling) {
    const std::string theirs = "onednn_" + ours_;
    if (std::ranges::find(sampling.ids, theirs) == sampling.ids.end()) return;
    ratios_.points.emplace_back(as_double(x), sampling.ratio(theirs, ours_));
  }
  void add_to(Lab& lab) {
    if (ratios_.points.empty()) return;
    const std::string id = ratios_.id;
    lab.add(std::move(ratios_));
    lab.show("Our speed over oneDNN's", {id});
  }

 private:
  std::string ours_;
  Series ratios_;
};

/// Square products, which compute much with few bytes: how fast the units are.
void race_squares(Lab& lab, Plan plan, const std::string& onednn) {
  const std::size_t n = lab.quick() ? 512 : 2048;
  plan.minimum_rounds = 3;
  const Sampling sampling = UnitRace(lab.machine(), {n, n, n}).run(lab, plan, n, true);
  lab.add(Value("bf16_gemm_over_fp32", sampling.ratio("fp32", "bf16"), "1"));
  lab.add(Value("int8_gemm_over_fp32", sampling.ratio("fp32", "int8"), "1"));
  const auto raced =
      std::ranges::count_if(sampling.ids, [](const std::string& id) { return id.starts_with("onednn"); });
  if (raced > 0) lab.add(Value("onednn_raced", as_double(raced), "1", Kind::measured, onednn));
  for (OverOneDnn over : {OverOneDnn("bf16_over_onednn_by_size", "bf16", {"N", "1"}),
                          OverOneDnn("int8_over_onednn_by_size", "int8", {"N", "1"})}) {
    over.add(n, sampling);
    over.add_to(lab);
  }
}

/// One layer of the model with a billion weights (model.cpp) that reads a prompt: the fewer its tokens, the less is
/// computed with each weight that comes from memory.
void race_a_layer(Lab& lab, Plan plan) {
  const Axis rows_axis = {"tokens", "1"};
  OverOneDnn bf16("bf16_over_onednn_by_tokens", "bf16", rows_axis);
  OverOneDnn int8("int8_over_onednn_by_tokens", "int8", rows_axis);
  const Sides sides = lab.quick() ? Sides{64, 2048, 512} : Sides{512, 8192, 2048};
  plan.minimum_rounds = lab.quick() ? 3 : 15;
  plan.budget_seconds /= 3;
  UnitRace race(lab.machine(), sides);
  for (const std::size_t tokens : {sides.m / 16, sides.m / 4, sides.m}) {
    lab.tick();
    const Sampling sampling = race.run(lab, plan, tokens, false);
    bf16.add(tokens, sampling);
    int8.add(tokens, sampling);
  }
  bf16.add_to(lab);
  int8.add_to(lab);
}

}  // namespace

void measure_units(Lab& lab) {
  const std::string onednn = onednn_name();  // starts a process, so before any threads
  predict_units(lab);
  note_who_races(lab, onednn);
  Plan plan = lab.plan(2);
  plan.sample_seconds = 4e-3;
  plan.warm_seconds = 0;  // a sample takes longer than refilling the caches
  race_squares(lab, plan, onednn);
  race_a_layer(lab, plan);
}

}  // namespace hf::precision
