#include "07-compilers/bench/arithmetic.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "harness/measure/as_double.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/verify.hpp"

namespace hf::compilers {

Arithmetic::Arithmetic(Team& team) : team_(team), peak_(peak_variant(Precision::fp32, team)) {
  constexpr std::size_t bytes = looped_numbers * sizeof(float);
  for (int thread = 0; thread < team.size(); ++thread) {
    numbers_.push_back({Buffer(bytes, Pages::base), Buffer(bytes, Pages::base)});
    fill_random(numbers_.back().x.as<float>(), 1, 4);
  }
  const auto& [x, y] = numbers_.front();
  const float* const inputs[] = {x.as<float>().data()};
  for (const Op function : looped_functions) {
    function_loop(function, inputs[0], y.as<float>().data());
    verify(worst_error_share(y.as<float>().first(looped_numbers), rounded_reference(looped_graph(function), inputs)),
           std::string("the loop of ") + name(function));
  }
}

std::vector<Variant> Arithmetic::variants() {
  std::vector<Variant> variants = {peak_.variant};
  for (const Op function : looped_functions) {
    variants.push_back(timed(name(function), team_, [this, function](int thread) {
      const auto& [x, y] = numbers_[static_cast<std::size_t>(thread)];
      function_loop(function, x.as<float>().data(), y.as<float>().data());
    }));
  }
  return variants;
}

double Arithmetic::peak_gflops(const Sampling& sampling) const {
  return peak_.gflops(sampling.of(peak_.variant.id)).median;
}

Estimate Arithmetic::multiply_adds(const Sampling& sampling, Op function) const {
  const double at_peak = peak_.flops / 2, numbers = as_double(looped_numbers) * team_.size();
  return times(sampling.ratio(name(function), peak_.variant.id), at_peak / numbers);
}

OpCosts Arithmetic::costs(const Sampling& sampling) const {
  const auto cost = [&](Op function) { return 2 * multiply_adds(sampling, function).median; };
  return {.exp = cost(Op::exp), .gelu = cost(Op::gelu), .dropout = cost(Op::dropout), .other = 2};
}

}  // namespace hf::compilers
