// The peer computes what we ask for: a race against a wrong call would be too easy to win.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kit/narrow/int8_gemm.hpp"
#include "kit/peers/onednn_peer.hpp"
#include "kit/random.hpp"

namespace hf::precision {
namespace {

const bool onednn_is_missing = !has_onednn() && std::getenv("HARDWARE_FIRST_PEERS") == nullptr;

template <class Test>
void for_each_shape(Test test) {
  REQUIRE(has_onednn());
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {5, 33, 31}, {64, 64, 64}, {37, 301, 1100}}) {
    test(static_cast<std::size_t>(m), static_cast<std::size_t>(n), static_cast<std::size_t>(k));
  }
}

TEST_CASE("oneDNN multiplies unsigned by signed bytes" * doctest::skip(onednn_is_missing)) {
  for_each_shape([](std::size_t m, std::size_t n, std::size_t k) {
    const auto a = random_bytes<std::uint8_t>(m * k, 1);
    const auto b = random_bytes<std::int8_t>(k * n, 2);
    std::vector<std::int32_t> c(m * n, -1);
    const OneDnnProduct product(m, n, k, a.data(), b.data(), c.data());
    CHECK_FALSE(product.implementation().empty());
    product.run();
    const auto expected = tpu::plain_int8_product(m, n, k, a.data(), b.data());
    CHECK(std::vector<std::int64_t>(c.begin(), c.end()) == expected);
  });
}

TEST_CASE("oneDNN multiplies bf16 and sums in fp32" * doctest::skip(onednn_is_missing)) {
  for_each_shape([](std::size_t m, std::size_t n, std::size_t k) {
    // Whole numbers up to 127, exact in bf16: their bits are the upper half of a float's. All sums are exact in fp32.
    const auto whole = [](const std::vector<std::int8_t>& numbers) {
      std::vector<std::uint16_t> bits;
      for (const std::int8_t x : numbers) {
        const float value = static_cast<float>(x);
        std::uint32_t word;
        __builtin_memcpy(&word, &value, sizeof word);
        bits.push_back(static_cast<std::uint16_t>(word >> 16));
      }
      return std::pair{numbers, bits};
    };
    const auto [a_whole, a] = whole(random_bytes<std::int8_t>(m * k, 3));
    const auto [b_whole, b] = whole(random_bytes<std::int8_t>(k * n, 4));
    std::vector<float> c(m * n, NAN);
    OneDnnProduct(m, n, k, a.data(), b.data(), c.data()).run();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        int sum = 0;
        for (std::size_t p = 0; p < k; ++p) sum += a_whole[i * k + p] * b_whole[p * n + j];
        wrong += c[i * n + j] != static_cast<float>(sum);
      }
    }
    CHECK(wrong == 0);
  });
}

}  // namespace
}  // namespace hf::precision
