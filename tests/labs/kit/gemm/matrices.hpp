// The operands of a product, and how far it is from the reference.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "kit/product.hpp"
#include "kit/random.hpp"

namespace hf::matmul {

struct Shape {
  std::size_t m, n, k;
};

/// a and b end where their allocation ends, so that a sanitizer sees every read past it; c has a guard on either side.
class Matrices {
 public:
  explicit Matrices(Shape s)
      : shape_(s),
        a_(random_floats(s.m * s.k, 1)),
        b_(random_floats(s.k * s.n, 2)),
        c_(s.m * s.n + 2 * margin, guard) {}
  std::vector<float>& a() { return a_; }
  std::vector<float>& b() { return b_; }
  float* c() { return c_.data() + margin; }

  template <class Multiply>
  double worst_error_of(const Multiply& multiply, std::size_t most = 4000) {
    multiply(shape_.m, shape_.n, shape_.k, a_.data(), b_.data(), c());
    return worst_error(most);
  }
  /// 1 if rounding explains the difference from the reference.
  double worst_error(std::size_t most = 2000) {
    CHECK(guard_intact());
    return worst_product_error(shape_.m, shape_.n, shape_.k, a_.data(), b_.data(), c(), most);
  }
  bool guard_intact() const {
    for (std::size_t i = 0; i < margin; ++i) {
      if (c_[i] != guard || c_[c_.size() - 1 - i] != guard) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t margin = 64;
  static constexpr float guard = 12345.0f;
  Shape shape_;
  std::vector<float> a_, b_, c_;
};

}  // namespace hf::matmul
