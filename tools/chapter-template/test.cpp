#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "@ID@/NAMESPACE.hpp"

namespace hf::NAMESPACE {
namespace {

TEST_CASE("every number is added once, however many chains") {
  std::vector<float> x(24);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(1 << i);
  const float expected = static_cast<float>((1 << 24) - 1);  // exact in fp32
  CHECK(sum_in_chains<1>(x) == expected);
  CHECK(sum_in_chains<2>(x) == expected);
  CHECK(sum_in_chains<4>(x) == expected);
  CHECK(sum_in_chains<8>(x) == expected);
}

TEST_CASE("nothing adds up to nothing") { CHECK(sum_in_chains<4>({}) == 0); }

}  // namespace
}  // namespace hf::NAMESPACE
