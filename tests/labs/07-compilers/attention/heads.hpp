/// \file
/// Heads for tests of attention.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "02-matmul/check/layers_reference.hpp"
#include "07-compilers/kernels/attention/attention.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"

namespace hf::compilers {

/// Random operands, and a result with a margin that must not be changed.
struct Operands {
  explicit Operands(const Head& of, float spread = 1.7f)
      : head(of),
        q(head.queries * head.d),
        k(head.keys * head.d),
        v(head.keys * head.d),
        room(head.queries * head.d + 2 * margin, untouched) {
    fill_random(std::span(q), 1, spread);
    fill_random(std::span(k), 2, spread);
    fill_random(std::span(v), 3);
  }

  float* out() { return room.data() + margin; }

  bool margin_is_untouched() const {
    const auto is = [](float x) { return x == untouched; };
    return std::all_of(room.begin(), room.begin() + margin, is) && std::all_of(room.end() - margin, room.end(), is);
  }

  /// The largest error of all results, as a share of the bound for fp32.
  double error_share() {
    double worst = 0;
    std::vector<Reference> row(head.d);
    for (std::size_t i = 0; i < head.queries; ++i) {
      matmul::reference_attention({head.visible(i), head.d}, q.data(), k.data(), v.data(), i, row);
      worst = std::max(worst, worst_error_share({out() + i * head.d, head.d}, row));
    }
    return worst;
  }

  static constexpr std::size_t margin = 64;
  static constexpr float untouched = -77;

  Head head;
  std::vector<float> q, k, v, room;
};

}  // namespace hf::compilers
