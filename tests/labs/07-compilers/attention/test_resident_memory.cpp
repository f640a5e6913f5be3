#include "07-compilers/bench/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>

#include <doctest/doctest.h>

#include "harness/measure/memory.hpp"

namespace hf::compilers {
namespace {

const bool system_does_not_tell = !resident_growth([] {});

TEST_CASE("memory counts when it is touched, and only then" * doctest::skip(system_does_not_tell)) {
  constexpr std::size_t bytes = std::size_t{64} << 20, slack = std::size_t{4} << 20;
  std::optional<Buffer> buffer;
  const auto touched = resident_growth([&] {
    buffer.emplace(bytes, Pages::base);
    std::ranges::fill(buffer->as<float>(), 1.0f);
  });
  buffer.reset();
  const auto untouched = resident_growth([&] { buffer.emplace(bytes, Pages::base); });
  REQUIRE(touched);
  REQUIRE(untouched);
  CHECK(*touched >= bytes - slack);
  CHECK(*touched <= bytes + slack);
  CHECK(*untouched <= slack);
}

TEST_CASE("what goes wrong is passed on") {
  CHECK_THROWS_AS(resident_growth([] { throw std::runtime_error("no"); }), std::runtime_error);
}

}  // namespace
}  // namespace hf::compilers
