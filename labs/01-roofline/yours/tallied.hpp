/// \file
/// A number that counts what is computed with it.
#pragma once

#include <cmath>

#include "kit/per_thread.hpp"
#include "kit/rounded.hpp"

namespace hf::roofline {

/// Counts every addition, subtraction, multiplication, division and root, and tracks how far from its value the same
/// computation with floats may be.
class Tallied {
 public:
  /// Those that each thread has counted.
  static PerThread<double>& flops() {
    static PerThread<double> counted;
    return counted;
  }

  Tallied() = default;
  /// A constant, which becomes a float.
  Tallied(double constant)  // NOLINT: numbers are numbers
      : is_(constant, 0, static_cast<double>(static_cast<float>(constant)) == constant ? 0 : 1) {}
  explicit Tallied(Rounded number) : is_(number) {}

  const Rounded& rounded() const { return is_; }

  Tallied operator-() const { return Tallied(Rounded(0) - is_); }
  Tallied& operator+=(Tallied b) { return *this = *this + b; }
  Tallied& operator-=(Tallied b) { return *this = *this - b; }
  Tallied& operator*=(Tallied b) { return *this = *this * b; }
  Tallied& operator/=(Tallied b) { return *this = *this / b; }
  friend Tallied operator+(Tallied a, Tallied b) { return counted(a.is_ + b.is_); }
  friend Tallied operator-(Tallied a, Tallied b) { return counted(a.is_ - b.is_); }
  friend Tallied operator*(Tallied a, Tallied b) { return counted(a.is_ * b.is_); }
  friend Tallied operator/(Tallied a, Tallied b) { return counted(a.is_ / b.is_); }
  friend Tallied fma(Tallied a, Tallied b, Tallied c) { return a * b + c; }
  friend Tallied sqrt(Tallied a) { return counted(root_of(a.is_)); }
  friend Tallied abs(Tallied a) { return a < 0 ? -a : a; }

  friend bool operator==(Tallied a, Tallied b) { return a.is_.value == b.is_.value; }
  friend bool operator<(Tallied a, Tallied b) { return a.is_.value < b.is_.value; }
  friend bool operator>(Tallied a, Tallied b) { return b < a; }
  friend bool operator<=(Tallied a, Tallied b) { return a.is_.value <= b.is_.value; }
  friend bool operator>=(Tallied a, Tallied b) { return b <= a; }

 private:
  static Tallied counted(Rounded result) {
    flops().mine() += 1;
    return Tallied(result);
  }

  Rounded is_;
};

}  // namespace hf::roofline
