/// \file
/// Cases to compare the site's formulas with: random inputs to the labs' own formulas, with their results, as JSON.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

namespace hf::formulas {

using Json = nlohmann::json;

/// Random numbers from a seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// An integer from low to high, both included.
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

  /// Equally likely in each octave.
  double spread(double low, double high) {
    return low * std::exp2(std::uniform_real_distribution<double>(0, std::log2(high / low))(engine_));
  }
  std::size_t size(double high) { return static_cast<std::size_t>(spread(1, high + 0.5)); }

  bool coin() { return between(0, 1) == 1; }

  template <class List>
  const auto& one_of(const List& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<int>(std::size(list)) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

/// So many cases, each made with the same dice.
template <class Make>
Json many(Dice& dice, int count, Make make) {
  Json all = Json::array();
  for (int i = 0; i < count; ++i) all.push_back(make(dice));
  return all;
}

/// \return {"name": [case, …], …}; each case is an object with the inputs and "answer".
Json roofline_cases(Dice& dice);
Json planner_cases(Dice& dice);
Json array_cases(Dice& dice);

}  // namespace hf::formulas
