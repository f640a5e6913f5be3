/// \file
/// The numbers that the labs sort, and the check that they were sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace sorting {

inline std::vector<int> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<int> numbers(n);
  for (int& number : numbers) number = static_cast<int>(generator() >> 1);
  return numbers;
}

/// Sorts random, sorted, reversed and equal numbers, and compares each result with std::stable_sort's: equal results are in
/// order and contain the same numbers.
/// \throws std::runtime_error
template <class Sort>
void check_sort(const std::string& name, Sort sort) {
  for (std::size_t n : {0, 1, 2, 3, 16, 17, 33, 1000, 4099}) {
    std::vector<int> rising(n);
    std::iota(rising.begin(), rising.end(), 0);
    const std::vector<int> falling(rising.rbegin(), rising.rend()), equal(n, 7);
    std::vector<int> few = random_numbers(n, 2);
    for (int& number : few) number %= 5;
    for (const auto& input : {random_numbers(n, 1), rising, falling, equal, few}) {
      std::vector<int> sorted = input, expected = input;
      sort(sorted.data(), n);
      std::stable_sort(expected.begin(), expected.end());
      if (sorted != expected) throw std::runtime_error(name + " does not sort " + std::to_string(n) + " numbers");
    }
  }
}

}  // namespace sorting
