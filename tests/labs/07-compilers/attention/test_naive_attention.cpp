#include "07-compilers/kernels/attention/attention.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

#include "common/loop_team.hpp"
#include "heads.hpp"

namespace hf::compilers {
namespace {

void check(const Head& head, Operands operands) {
  CAPTURE(head.queries);
  CAPTURE(head.keys);
  CAPTURE(head.d);
  NaiveAttention naive(head);
  for (int time = 0; time < 2; ++time) {
    naive.run(operands.q.data(), operands.k.data(), operands.v.data(), operands.out());
    CHECK(operands.error_share() <= 1);
  }
  CHECK(operands.margin_is_untouched());
}

void check(const Head& head) { check(head, Operands(head)); }

TEST_CASE("attention with its matrix is what the definition says") {
  check({1, 1, 1});
  check({70, 130, 64});
  check({17, 65, 33});
  check({1, 3000, 64});
  check({600, 600, 64});
  const OneCore one;
  check({600, 600, 64});
}

// A row's largest score is subtracted from all its scores; subtracting another row's would leave nothing.
TEST_CASE("a row is not affected by far larger scores in the next") {
  const Head head = {16, 37, 64};
  Operands operands(head);
  for (std::size_t i = 1; i < head.queries; i += 2) {
    for (std::size_t e = 0; e < head.d; ++e) operands.q[i * head.d + e] *= 300;
  }
  check(head, std::move(operands));
}

TEST_CASE("its memory grows with the square of the tokens") {
  CHECK(NaiveAttention::scratch_bytes({1000, 1000, 64}) == 4 * (1000 * 1000 + 64 * 1000));
}

}  // namespace
}  // namespace hf::compilers
