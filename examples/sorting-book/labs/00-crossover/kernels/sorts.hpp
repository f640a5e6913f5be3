/// \file
/// Insertion sort, quicksort, and quicksort that leaves short ranges to insertion sort.
#pragma once

#include <cstddef>
#include <utility>

namespace sorting {

// [begin: insertion]
/// Moves each number to the left until nothing larger stands before it.
template <class Key>
void insertion_sort(Key* a, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    Key moving = std::move(a[i]);
    std::size_t hole = i;
    for (; hole > 0 && moving < a[hole - 1]; --hole)  // up by one place
      a[hole] = std::move(a[hole - 1]);
    a[hole] = std::move(moving);
  }
}
// [end: insertion]

// [begin: partition]
/// Cuts 2 or more numbers in two: none on the left is
/// larger than any on the right.
/// \return the size of the left part, at least 1 and less than n
template <class Key>
std::size_t partition(Key* a, std::size_t n) {
  const Key pivot = a[(n - 1) / 2];
  for (std::size_t left = 0, right = n - 1;; ++left, --right) {
    while (a[left] < pivot) ++left;
    while (pivot < a[right]) --right;
    if (left >= right) return right + 1;
    std::swap(a[left], a[right]);
  }
}
// [end: partition]

// [begin: hybrid]
/// Quicksort down to ranges of `cutoff` numbers, which insertion sort
/// finishes. With a cutoff of 1 it is plain quicksort.
template <class Key>
void hybrid_sort(Key* a, std::size_t n, std::size_t cutoff) {
  while (n > cutoff) {
    const std::size_t left = partition(a, n), right = n - left;
    if (left < right) {  // keeps the stack small
      hybrid_sort(a, left, cutoff);
      a += left;
      n = right;
    } else {
      hybrid_sort(a + left, right, cutoff);
      n = left;
    }
  }
  insertion_sort(a, n);
}
// [end: hybrid]

template <class Key>
void quicksort(Key* a, std::size_t n) {
  hybrid_sort(a, n, 1);
}

}  // namespace sorting
