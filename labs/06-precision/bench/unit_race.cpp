#include "06-precision/bench/unit_race.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "04-tpu/kernels/int8_gemm.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "common/peers/onednn_peer.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/keep.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::precision {
namespace {

constexpr std::size_t checked_places = 100;
constexpr std::int64_t peak_iterations = 20000;  // a tenth of a millisecond

/// A square matrix.
template <class Number>
class Matrix {
 public:
  explicit Matrix(std::size_t n) : memory_(n * n * sizeof(Number), Pages::huge) {}
  std::span<Number> all() const { return memory_.as<Number>(); }
  Number* data() const { return all().data(); }

 private:
  Buffer memory_;
};

void fill_both(const Matrix<float>& floats, const Matrix<std::uint16_t>& narrow, std::uint64_t sequence) {
  for (std::size_t i = 0; i < floats.all().size(); ++i) {
    narrow.data()[i] = bf16_of(random_number(sequence, i));
    floats.data()[i] = from_bf16(narrow.data()[i]);
  }
}

double products_of(std::size_t n) { return as_double(n) * as_double(n) * as_double(n); }

std::size_t index_of(const Sampling& sampling, std::string_view id) {
  return static_cast<std::size_t>(std::ranges::find(sampling.ids, id) - sampling.ids.begin());
}

}  // namespace

bool UnitTimes::has(std::string_view id) const { return index_of(sampling, id) < sampling.ids.size(); }

Estimate UnitTimes::gops(std::string_view id) const {
  return rate(operations[index_of(sampling, id)], sampling.of(id));
}

Estimate UnitTimes::over(std::string_view id, std::string_view other) const {
  return times(sampling.ratio(other, id), operations[index_of(sampling, id)] / operations[index_of(sampling, other)]);
}

double UnitTimes::seconds() const {
  return std::accumulate(sampling.seconds.begin(), sampling.seconds.end(), 0.0,
                         [](double sum, const Estimate& seconds) { return sum + seconds.median; });
}

/// Random operands, those in bf16 and in fp32 the same numbers, weights in the order of use, and room for the products.
struct UnitRace::Operands {
  Operands(const tpu::Int8Kernel& int8_kernel, std::size_t size) : n(size), kernel(int8_kernel) {
    fill_both(a, a16, 1);
    fill_both(b, b16, 2);
    std::ranges::copy(random_bytes<std::uint8_t>(n * n, 3), a8.data());
    std::ranges::copy(random_bytes<std::int8_t>(n * n, 4), b8.data());
  }

  bool is_right(const float* product) const {
    return worst_product_error(n, n, n, a.data(), b.data(), product, checked_places) <= 1;
  }
  bool is_right(const std::int32_t* product) const {
    bool right = true;
    visit_places(n, n, checked_places, [&](std::size_t i, std::size_t j) {
      std::int64_t sum = 0;
      for (std::size_t p = 0; p < n; ++p) sum += std::int64_t{a8.data()[i * n + p]} * b8.data()[p * n + j];
      right = right && product[i * n + j] == sum;
    });
    return right;
  }

  std::size_t n;
  const tpu::Int8Kernel& kernel;
  Matrix<float> a{n}, b{n}, c{n};
  Matrix<std::uint16_t> a16{n}, b16{n};
  Matrix<std::uint8_t> a8{n};
  Matrix<std::int8_t> b8{n};
  Matrix<std::int32_t> c32{n};
};

/// What is to be sampled.
class UnitRace::Entries {
 public:
  explicit Entries(const Operands& operands) : at_(operands) {}

  /// \return whether the product is right; if not, it is not entered
  template <class Sum, class Multiply>
  bool add_product(const std::string& id, Sum* c, const Multiply& multiply) {
    constexpr Sum poison = std::numeric_limits<Sum>::has_quiet_NaN ? std::numeric_limits<Sum>::quiet_NaN()
                                                                   : std::numeric_limits<Sum>::min();
    std::fill_n(c, at_.n * at_.n, poison);
    multiply();
    if (!at_.is_right(c)) return false;
    add(id, 2 * products_of(at_.n), multiply);
    return true;
  }

  template <class Sum, class Multiply>
  void add_ours(const std::string& id, Sum* c, const Multiply& multiply) {
    if (add_product(id, c, multiply)) return;
    throw std::runtime_error("the " + id + " product of size " + std::to_string(at_.n) +
                             " is wrong; nothing was timed");
  }

  template <class Code>
  void add(const std::string& id, double operations_of_one, const Code& code) {
    variants.push_back(timed(id, code));
    operations.push_back(operations_of_one);
  }

  std::vector<Variant> variants;
  std::vector<double> operations;

 private:
  const Operands& at_;
};

UnitRace::UnitRace(const Machine& machine, std::size_t n)
    : dot_products_(roofline::dot_product_loops(machine)),
      operands_(std::make_unique<Operands>(*tpu::int8_kernels(machine).front(), n)) {}
UnitRace::~UnitRace() = default;

double UnitRace::bytes(std::size_t n) {
  constexpr double fp32 = 3 * sizeof(float), bf16 = 2 * 2 + 2 * 2, int8 = 2 + 4 + 2;  // bf16, int8: weights three times
  return as_double(n) * as_double(n) * (fp32 + bf16 + int8);
}

void UnitRace::enter_ours(Entries& entries, int threads) const {
  const Operands& at = *operands_;
  const std::size_t n = at.n;
  if (threads == 1) {
    entries.add_ours("fp32", at.c.data(), [&at, n] { matmul::gemm(n, n, n, at.a.data(), at.b.data(), at.c.data()); });
  }
  const auto weights = std::make_shared<const PackedBf16>(n, n, at.b16.data());
  entries.add_ours("bf16", at.c.data(),
                   [&at, n, threads, weights] { weights->multiply(n, at.a16.data(), at.c.data(), threads); });
  const auto weights8 = std::make_shared<const tpu::PackedInt8>(at.kernel, n, n, at.b8.data());
  entries.add_ours("int8", at.c32.data(),
                   [&at, n, threads, weights8] { weights8->multiply(n, at.a8.data(), at.c32.data(), threads); });
}

template <class Left, class Right, class Sum>
void UnitRace::enter_onednn(Entries& entries, const std::string& id, const Left* a, const Right* b, Sum* c,
                            int threads) {
  const std::size_t n = operands_->n;
  const std::string at = " at " + std::to_string(n);
  try {
    const OneDnnProduct product(n, n, n, a, b, c, threads);
    if (entries.add_product(id, c, [product] { product.run(); })) {
      notes_.push_back(id + " is its kernel " + product.implementation());
    } else {
      notes_.push_back(id + at + " computes something else and is left out");
    }
  } catch (const std::runtime_error& refusal) {
    notes_.push_back(id + at + " is left out: " + refusal.what());
  }
}

/// The instructions alone.
void UnitRace::enter_peaks(Entries& entries) const {
  constexpr auto iterations = static_cast<double>(peak_iterations);
  for (const roofline::DotProductLoop* loop : dot_products_) {
    if (std::string_view(loop->label) != "bf16") continue;
    entries.add("peak_bf16", loop->operations * iterations, [loop] { keep(loop->run(peak_iterations, 3, 5)); });
  }
  const tpu::Int8Kernel& kernel = operands_->kernel;
  entries.add("peak_int8", kernel.peak_operations * iterations,
              [&kernel] { keep(kernel.peak(peak_iterations, 3, 5)); });
}

UnitTimes UnitRace::run(int threads, const Plan& plan) {
  const Operands& at = *operands_;
  Entries entries(at);
  enter_ours(entries, threads);
  if (has_onednn()) {
    enter_onednn(entries, "onednn_bf16", at.a16.data(), at.b16.data(), at.c.data(), threads);
    enter_onednn(entries, "onednn_int8", at.a8.data(), at.b8.data(), at.c32.data(), threads);
  }
  if (threads == 1) enter_peaks(entries);
  return {at.n, sample_interleaved(entries.variants, plan), entries.operations};
}

}  // namespace hf::precision
