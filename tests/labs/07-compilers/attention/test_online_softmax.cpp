#include "07-compilers/kernels/attention/attention.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "02-matmul/check/layers_reference.hpp"
#include "common/reference.hpp"
#include "heads.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("one key after the other comes to the same as the definition") {
  for (const bool causal : {false, true}) {
    Operands of({40, 90, 20, causal}, 5);
    std::vector<double> out(20);
    std::vector<Reference> right(20);
    for (std::size_t i = 0; i < 40; ++i) {
      online_attention(of.head, of.q.data(), of.k.data(), of.v.data(), i, out);
      matmul::reference_attention({of.head.visible(i), 20}, of.q.data(), of.k.data(), of.v.data(), i, right);
      for (std::size_t e = 0; e < 20; ++e) CHECK(out[e] == doctest::Approx(right[e].value).epsilon(1e-12));
    }
  }
}

TEST_CASE("new highs are counted, the first score among them") {
  Operands of({1, 5, 1});
  of.q = {1};
  of.k = {3, 1, 4, 4, 5};
  std::vector<double> out(1);
  CHECK(online_attention(of.head, of.q.data(), of.k.data(), of.v.data(), 0, out) == 3);
  of.k = {5, 4, 3, 2, 1};
  CHECK(online_attention(of.head, of.q.data(), of.k.data(), of.v.data(), 0, out) == 1);
}

TEST_CASE("new highs become rare: their number grows like a logarithm") {
  CHECK(expected_new_highs(1) == 1);
  CHECK(expected_new_highs(3) == doctest::Approx(1 + 0.5 + 1 / 3.0));
  CHECK(expected_new_highs(4096) == doctest::Approx(std::log(4096.0) + 0.5772156649).epsilon(1e-4));
}

}  // namespace
}  // namespace hf::compilers
