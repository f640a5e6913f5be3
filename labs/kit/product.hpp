/// \file
/// Checks products of matrices, and attention, which consists of two: all matrices are row-major, and each reference has its bound (reference.hpp).
#pragma once

#include <cstddef>
#include <numeric>
#include <span>

#include "kit/reference.hpp"

namespace hf {

/// Σ x[i] · y[i · stride], n products
Reference reference_dot(const float* x, const float* y, std::size_t n, std::size_t stride = 1);

/// Element (i, j) of a · b, a (…, k), b (k, n).
Reference reference_product(const float* a, const float* b, std::size_t n, std::size_t k, std::size_t i, std::size_t j);

/// Calls `visit(i, j)` for all places of a matrix (m, n), or for about `most` evenly spread places that include the
/// corners.
template <class Visit>
void visit_places(std::size_t m, std::size_t n, std::size_t most, Visit visit) {
  const std::size_t count = m * n;
  if (count == 0) return;
  std::size_t step = count <= most ? 1 : count / most;
  while (std::gcd(step, n) > 1) ++step;  // a step coprime to the width visits all columns
  for (std::size_t at = 0; at < count; at += step) visit(at / n, at % n);
  visit(0, n - 1);
  visit(m - 1, 0);
  visit(m - 1, n - 1);
}

/// The largest error share of c = a · b, c (m, n), at the places that visit_places() chooses.
double worst_product_error(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, const float* c,
                           std::size_t most);

/// Σ x[i] · w[i · stride] + bias, where each x has an error bound.
Reference sum_of_products(std::span<const Reference> x, const float* w, std::size_t stride, double bias);

/// Row i of softmax(q · kᵀ / √d) · v, one head of attention: q, k and v are (tokens, d). \param to  d long
void reference_attention(std::size_t tokens, std::size_t d, const float* q, const float* k, const float* v,
                         std::size_t i, std::span<Reference> to);

}  // namespace hf
