#include "07-compilers/bench/legality_runs.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "07-compilers/kernels/legality/licences.hpp"
#include "07-compilers/kernels/legality/nest_kernels.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/keep.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"
#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

std::vector<float> matrix_to_sweep() { return random_floats((nest_rows + 1) * (nest_columns + 2), 0); }

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

std::size_t different(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += same_bits(a[i], b[i]) ? 0 : 1;
  return count;
}

/// What the sweep as it is written down comes to where nothing but its dependences takes time: each link waits for the one
/// before.
float mixtures(std::size_t links, float x, float own, float above) {
  for (std::size_t link = 0; link < links; ++link) x = 0.5f * own + 0.25f * (x + above);
  return x;
}

}  // namespace

Difference compare_with_sweep(void (*other)(float* a, std::size_t rows, std::size_t columns)) {
  std::vector<float> right = matrix_to_sweep(), given = right;
  sweep(right.data(), nest_rows, nest_columns);
  other(given.data(), nest_rows, nest_columns);
  Difference difference = {.wrong = different(right, given)};
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (same_bits(right[i], given[i])) continue;
    const std::size_t width = nest_columns + 2;
    difference.row = i / width;
    difference.column = i % width;
    difference.right = right[i];
    difference.given = given[i];
    break;
  }
  return difference;
}

Sampling time_nests(const Plan& plan) {
  const Pinned pinned;
  const std::vector<float> x = random_floats(nest_iterations, 1);
  std::vector<float> sums((nest_rows + 1) * nest_columns, 0.0f), in_order = matrix_to_sweep(), exchanged = in_order,
                                                                 skewed = in_order;
  std::vector<float> stored = random_floats(skewed_numbers(nest_rows, nest_columns), 2);
  const float own = x[1], above = x[2];
  return sample_interleaved(
      {timed("sums", [&] { running_sums(x.data(), sums.data(), nest_rows, nest_columns); }),
       timed("sums exchanged", [&] { running_sums_exchanged(x.data(), sums.data(), nest_rows, nest_columns); }),
       timed("sweep", [&] { sweep(in_order.data(), nest_rows, nest_columns); }),
       timed("sweep exchanged", [&] { sweep_exchanged(exchanged.data(), nest_rows, nest_columns); }),
       timed("sweep skewed", [&] { sweep_skewed(skewed.data(), nest_rows, nest_columns); }),
       timed("sweep stored skewed", [&] { sweep_stored_skewed(stored.data(), nest_rows, nest_columns); }),
       timed("mixtures", [&] { keep(mixtures(nest_iterations, 0, own, above)); })},
      plan);
}

// ---- Licences ----

namespace {

/// Arrays of random numbers that begin at lines of the cache and do not begin at the same place of a page, where a store
/// would be taken for one to the array that is read next.
class Arrays {
 public:
  /// \param most  numbers that the longest has
  Arrays(std::size_t arrays, std::size_t most)
      : step_(most + 16 + (16 - most % 16)), memory_(arrays * step_ * sizeof(float), Pages::huge) {
    fill_random(memory_.as<float>(), 3);
  }
  float* operator[](std::size_t array) const { return memory_.as<float>().data() + array * step_; }

 private:
  std::size_t step_;
  Buffer memory_;
};

/// Additions that wait for nothing but the units that add.
template <class Number>
void add_at_once(std::size_t times) {
  constexpr std::size_t sums = 12;  // more than are in flight, and no more than there are registers
  Number sum[sums] = {};
  const Number term = opaque(Number{} + 1.0f);
  for (std::size_t i = 0; i < times; ++i) {
#pragma GCC unroll 12
    for (Number& each : sum) each = opaque(each + term);
  }
  for (const Number& each : sum) keep(first_lane(each));
}

}  // namespace

Sampling time_licences(const Licences& licences, const Plan& plan) {
  const Pinned pinned;
  constexpr std::size_t count = licence_numbers;
  const Arrays near(9, count + 1), far(3, product_width * product_width);
  for (std::size_t i = 0; i < count; ++i) {
    near[4][i] = std::cos(static_cast<float>(i));
    near[5][i] = std::sin(static_cast<float>(i));
  }
  const auto smooth = [&](Smooth* run) { return [&, run] { run(near[6], near[7], count); }; };
  const auto rotate = [&](Rotate* run) {
    return [&, run] { run(near[0], near[1], near[2], near[3], near[4], near[5], count); };
  };
  const auto dot = [&](Dot* run) { return [&, run] { keep(run(near[7], near[8], count)); }; };
  const auto product = [&](Product* run) { return [&, run] { run(far[0], far[1], far[2]); }; };
  std::vector<Variant> variants = {timed("smooth", smooth(licences.smooth)),
                                   timed("smooth restrict", smooth(licences.smooth_restrict)),
                                   timed("rotate", rotate(licences.rotate)),
                                   timed("rotate restrict", rotate(licences.rotate_restrict)),
                                   timed("dot", dot(licences.dot)),
                                   timed("dot reordered", dot(licences.dot_reordered)),
                                   timed("product jki", product(licences.product_jki)),
                                   timed("product ijk", product(licences.product_ijk)),
                                   timed("product ikj", product(licences.product_ikj))};
  variants.push_back(timed("additions one by one", [] { add_at_once<float>(count); }));
  variants.push_back(timed("additions in vectors", [] { add_at_once<Floats>(count); }));
  if (licences.can_exchange()) {
    variants.push_back(timed("product ijk exchanged", product(licences.product_ijk_exchanged)));
    variants.push_back(timed("product ijk both", product(licences.product_ijk_both)));
  }
  return sample_interleaved(variants, plan);
}

std::size_t wrong_when_overlapping(const Licences& licences, std::size_t count) {
  std::vector<float> right = random_floats(count + 1, 11), given = right;
  licences.smooth(right.data() + 1, right.data(), count);
  licences.smooth_restrict(given.data() + 1, given.data(), count);
  return different(right, given);
}

std::size_t changed_products(Product* one, Product* other) {
  const std::vector<float> a = random_floats(product_rows * product_width, 9);
  const std::vector<float> b = random_floats(product_width * product_width, 10);
  std::vector<float> first(a.size(), 0.0f), second(a.size(), 0.0f);
  one(a.data(), b.data(), first.data());
  other(a.data(), b.data(), second.data());
  return different(first, second);
}

DotErrors dot_errors(const Licences& licences, std::size_t count) {
  std::size_t changed = 0;
  std::vector<double> in_order, reordered;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float> x = random_floats(licence_numbers, 20 + 2 * i),
                             y = random_floats(licence_numbers, 21 + 2 * i);
    const float first = licences.dot(x.data(), y.data(), licence_numbers);
    const float second = licences.dot_reordered(x.data(), y.data(), licence_numbers);
    const auto product = [](double a, double b) { return a * b; };  // of floats in double: exact
    const double exact = std::inner_product(x.begin(), x.end(), y.begin(), 0.0, std::plus<>(), product);
    double magnitudes = 0;
    for (std::size_t at = 0; at < licence_numbers; ++at) magnitudes += std::abs(product(x[at], y[at]));
    in_order.push_back(std::abs(first - exact) / magnitudes);
    reordered.push_back(std::abs(second - exact) / magnitudes);
    changed += same_bits(first, second) ? 0 : 1;
  }
  return {as_double(changed) / as_double(count), estimate(std::move(in_order)), estimate(std::move(reordered))};
}

}  // namespace hf::compilers
