// Compares square products in int8 and bf16 with products in fp32, and with oneDNN, on one thread.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
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

/// A square matrix.
template <class Number>
struct Square {
  explicit Square(std::size_t n) : memory(n * n * sizeof(Number), Pages::huge) {}
  Number* data() const { return memory.as<Number>().data(); }

  Buffer memory;
};

/// Random operands and their products; the bf16 and fp32 operands are the same numbers. Variants are our products
/// "bf16" and "int8", chapter 02's "fp32", and "onednn_bf16" and "onednn_int8" if oneDNN is installed. We and oneDNN
/// pack narrow weights beforehand.
class UnitRace {
 public:
  /// \throws OutOfMemory
  UnitRace(const Machine& machine, std::size_t size) : n_(size), kernel_(*tpu::int8_kernels(machine).front()) {
    for (std::size_t i = 0; i < n_ * n_; ++i) {
      a_.data()[i] = from_bf16(a16_.data()[i] = bf16_of(random_number(1, i)));
      b_.data()[i] = from_bf16(b16_.data()[i] = bf16_of(random_number(2, i)));
    }
    std::ranges::copy(random_bytes<std::uint8_t>(n_ * n_, 3), a8_.data());
    std::ranges::copy(random_bytes<std::int8_t>(n_ * n_, 4), b8_.data());
  }

  /// Times all products after comparing each with a reference in some places. Leaves out a peer whose result is wrong
  /// or that fails, and notes this in one line. Also notes which kernels oneDNN used.
  /// \throws std::runtime_error with one line if one of our products is wrong
  Sampling run(Lab& lab, const Plan& plan) {
    enter_ours();
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

  /// Enters a product, unless it is wrong. \return its error as a share of the allowed error
  template <class Sum, class Multiply>
  double enter_product(const std::string& id, Sum* to, const Multiply& multiply) {
    constexpr Sum poison = std::numeric_limits<Sum>::has_quiet_NaN ? std::numeric_limits<Sum>::quiet_NaN()
                                                                   : std::numeric_limits<Sum>::min();
    std::fill_n(to, n_ * n_, poison);
    multiply();
    const double worst = error(to);
    if (worst <= 1) variants_.push_back(timed(id, multiply));
    return worst;
  }

  void enter_ours() {
    const auto enter_verified = [&](const std::string& id, auto* to, const auto& multiply) {
      verify(enter_product(id, to, multiply), "the " + id + " product of size " + std::to_string(n_));
    };
    enter_verified("fp32", c_.data(), [this] { matmul::gemm(n_, n_, n_, a_.data(), b_.data(), c_.data()); });
    const auto weights = std::make_shared<const PackedBf16>(n_, n_, b16_.data());
    enter_verified("bf16", c_.data(), [this, weights] { weights->multiply(n_, a16_.data(), c_.data()); });
    const auto weights8 = std::make_shared<const tpu::PackedInt8>(kernel_, n_, n_, b8_.data());
    enter_verified("int8", c32_.data(), [this, weights8] { weights8->multiply(n_, a8_.data(), c32_.data()); });
  }

  template <class Left, class Right, class Sum>
  void enter_onednn(Lab& lab, const std::string& id, const Left* left, const Right* right, Sum* to) {
    try {
      const OneDnnProduct product(n_, n_, n_, left, right, to);
      const bool right_product = enter_product(id, to, [product] { product.run(); }) <= 1;
      lab.note(id + (right_product ? " is its kernel " + product.implementation()
                                   : std::string(" computes something else and is left out")));
    } catch (const std::runtime_error& refusal) {
      lab.note(id + " is left out: " + refusal.what());
    }
  }

  std::size_t n_;
  const tpu::Int8Kernel& kernel_;
  Square<float> a_{n_}, b_{n_}, c_{n_};
  Square<std::uint16_t> a16_{n_}, b16_{n_};
  Square<std::uint8_t> a8_{n_};
  Square<std::int8_t> b8_{n_};
  Square<std::int32_t> c32_{n_};
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
                        : "no oneDNN 3 to race against in int8 and bf16: the record lacks what compares with it");
  lab.note(!has_bf16_dot() ? "bf16 products are widened to fp32: this core has no instruction for them"
           : faster_bf16_route() == Bf16Route::widen
               ? "bf16 products are widened to fp32, which is faster here than the instruction for them"
               : "bf16 products use the instruction for them, which is faster here than to widen them to fp32");
}

/// Adds our speed relative to oneDNN's, unless that is left out.
void add_over_onednn(Lab& lab, const char* id, const Sampling& sampling, std::size_t n, const std::string& precision) {
  const std::string theirs = "onednn_" + precision;
  if (std::ranges::find(sampling.ids, theirs) == sampling.ids.end()) return;
  Series ratios = {id, precision, Kind::measured, {"N", "1"}, {"ratio", "1"}};
  ratios.points.emplace_back(as_double(n), sampling.ratio(theirs, precision));
  lab.add(std::move(ratios));
}

}  // namespace

void measure_units(Lab& lab) {
  const std::string onednn = onednn_name();  // starts a process, so before any threads
  predict_units(lab);
  note_who_races(lab, onednn);
  const std::size_t n = lab.quick() ? 512 : 2048;
  Plan plan = lab.plan();
  plan.minimum_rounds = 3;
  plan.sample_seconds = 4e-3;
  plan.warm_seconds = 0;  // a sample takes longer than refilling the caches
  const Sampling sampling = UnitRace(lab.machine(), n).run(lab, plan);
  lab.add(Value("bf16_gemm_over_fp32", sampling.ratio("fp32", "bf16"), "1"));
  lab.add(Value("int8_gemm_over_fp32", sampling.ratio("fp32", "int8"), "1"));
  add_over_onednn(lab, "bf16_over_onednn_by_size", sampling, n, "bf16");
  add_over_onednn(lab, "int8_over_onednn_by_size", sampling, n, "int8");
}

}  // namespace hf::precision
