/// \file
/// Products in e4m3, with random and with whole numbers, and how to judge a result; for the tests on the processor and
/// on a device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "03-gpu/check/fp8_reference.hpp"
#include "03-gpu/kernels/cuda/bf16.hpp"
#include "03-gpu/kernels/cuda/e4m3.hpp"
#include "03-gpu/kernels/cuda/sgemm.cuh"
#include "kit/random.hpp"
#include "kit/reference.hpp"

namespace hf::gpu {

struct Fp8Case {
  GemmShape shape;
  float scale;
  std::vector<E4m3> a, b;

  /// Any bytes but NaN, which is 0x7f and 0xff.
  static Fp8Case random(GemmShape shape) {
    return {shape, 0.37f, [](std::uint8_t byte) { return E4m3{(byte & 0x7f) == 0x7f ? std::uint8_t{0} : byte}; }};
  }
  /// 7, 9, 10 and 11. Sums of 128 products are below 2^14, so the tensor cores keep all bits; of longer sums they do not.
  static Fp8Case whole(GemmShape shape) {
    return {shape, 0.25f, [](std::uint8_t byte) {
              constexpr std::uint8_t of_whole[4] = {0x4e, 0x51, 0x52, 0x53};
              return E4m3{of_whole[byte % 4]};
            }};
  }

  /// The largest error of c, as a share of what cut and rounded sums allow.
  double worst(const std::vector<Bf16>& c, int promoted) const {
    double worst = 0;
    for (std::size_t at = 0; at < size(); ++at)
      worst = std::max(worst, error_share(to_float(c[at]), reference(at, promoted)));
    return worst;
  }
  /// How many numbers of c are not exactly right.
  int wrong(const std::vector<Bf16>& c) const {
    int wrong = 0;
    for (std::size_t at = 0; at < size(); ++at)
      wrong += c[at].bits != to_bf16(static_cast<float>(reference(at, shape.k).value)).bits;
    return wrong;
  }
  std::size_t size() const { return place(shape.m) * place(shape.n); }

 private:
  template <class Number>
  Fp8Case(GemmShape shape_, float scale_, Number number) : shape(shape_), scale(scale_) {
    const auto fill = [&](std::vector<E4m3>& to, int rows, std::uint64_t sequence) {
      for (std::uint64_t i = 0; i < place(rows) * place(shape.k); ++i)
        to.push_back(number(static_cast<std::uint8_t>(random_word(sequence, i) >> 56)));
    };
    fill(a, shape.m, 1);
    fill(b, shape.n, 2);
  }
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }

  Reference reference(std::size_t at, int promoted) const {
    const std::size_t n = place(shape.n), k = place(shape.k);
    return fp8_reference(&a[at / n * k], &b[at % n * k], shape.k, promoted, scale);
  }
};

}  // namespace hf::gpu
