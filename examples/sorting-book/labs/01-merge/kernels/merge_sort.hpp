/// \file
/// Merge sort, with short ranges left to chapter 00's insertion sort.
#pragma once

#include <algorithm>
#include <cstddef>

#include "00-crossover/kernels/sorts.hpp"

namespace sorting {

// [begin: merge]
template <class Key>
void merge(const Key* left, const Key* middle, const Key* end, Key* to) {
  for (const Key* right = middle; left < middle || right < end; ++to) {
    const bool take_right = right < end && (left == middle || *right < *left);
    *to = take_right ? *right++ : *left++;
  }
}

/// Sorts `to`. Both arrays contain the same numbers before; `other` is overwritten.
template <class Key>
void sort_into(Key* other, Key* to, std::size_t n) {
  if (n <= 16) return insertion_sort(to, n);
  const std::size_t half = n / 2;
  sort_into(to, other, half);
  sort_into(to + half, other + half, n - half);
  merge(other, other + half, other + n, to);
}

template <class Key>
void merge_sort(Key* a, Key* spare, std::size_t n) {
  std::copy_n(a, n, spare);
  sort_into(spare, a, n);
}
// [end: merge]

}  // namespace sorting
