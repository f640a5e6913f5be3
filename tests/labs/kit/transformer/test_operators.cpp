// Products as the operators run them: cut into blocks, with few rows, head by head; and what operators report.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/measure/blas.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/operators.hpp"

namespace hf::workload {
namespace {

struct Case {
  std::size_t m, n, k, spare;  ///< spare: floats between the end of a row and the next
  Transpose a, b;
};

/// The largest error share of a product run by Operators::multiply(); infinite if it wrote between the rows.
double worst_error_share(const Case& each) {
  const auto [m, n, k, spare, turn_a, turn_b] = each;
  const bool a_turned = turn_a == Transpose::yes, b_turned = turn_b == Transpose::yes;
  const std::size_t lda = (a_turned ? m : k) + spare, ldb = (b_turned ? k : n) + spare, ldc = n + spare;
  const std::vector<float> a = random_floats((a_turned ? k : m) * lda, 1),
                           b = random_floats((b_turned ? n : k) * ldb, 2);
  std::vector<float> c(m * ldc, 7);
  Ledger ledger;
  ledger.begin_pass();
  Operators(ledger).multiply({OperatorClass::gemm, "product", m, n, k, turn_a, turn_b, lda, ldb, ldc}, a.data(),
                             b.data(), c.data());
  CHECK(ledger.end_pass().operators.front().work.flops == product_work(m, n, k).flops);
  double worst = 0;
  for (std::size_t at = 0; at < c.size(); ++at) {
    const std::size_t i = at / ldc, j = at % ldc;
    Rounded sum = 0;
    for (std::size_t p = 0; p < k && j < n; ++p) {
      sum = sum + Rounded(a[a_turned ? p * lda + i : i * lda + p]) * Rounded(b[b_turned ? j * ldb + p : p * ldb + j]);
    }
    worst = std::max(worst, j < n ? error_share(c[at], sum) : (c[at] == 7 ? 0 : INFINITY));
  }
  return worst;
}

TEST_CASE("products of any shape, however they are stored and cut into blocks") {
  for (Transpose a : {Transpose::no, Transpose::yes}) {
    for (Transpose b : {Transpose::no, Transpose::yes}) {
      for (std::size_t spare : {0, 3}) {
        for (const auto& size : {std::array<std::size_t, 3>{1, 1, 1},
                                 {1, 300, 40},
                                 {300, 1, 40},
                                 {2, 65, 33},
                                 {5, 7, 1},
                                 {33, 17, 12},
                                 {40, 250, 64},
                                 {250, 40, 64},
                                 {97, 101, 67}}) {
          const Case each = {size[0], size[1], size[2], spare, a, b};
          INFO("m ", each.m, ", n ", each.n);
          CHECK(worst_error_share(each) <= 1);
        }
      }
    }
  }
}

TEST_CASE("nothing times anything is nothing") {
  std::vector<float> none, some(12, 1);
  Ledger ledger;
  Operators run(ledger);
  run.multiply({OperatorClass::gemm, "no rows", 0, 3, 4}, none.data(), some.data(), none.data());
  run.multiply({OperatorClass::gemm, "no depth", 3, 4, 0}, none.data(), none.data(), some.data());
  CHECK(some == std::vector<float>(12, 0));
}

TEST_CASE("heads are multiplied one by one, and reported together") {
  const std::size_t heads = 5, t = 6, d = 3;
  const std::vector<float> a = random_floats(heads * t * d, 1), b = random_floats(heads * t * d, 2);
  std::vector<float> c(heads * t * t);
  std::vector<Factors> factors;
  for (std::size_t i = 0; i < heads; ++i) factors.push_back({&a[i * t * d], &b[i * t * d], &c[i * t * t]});
  Product product = {OperatorClass::attention_product, "scores", t, t, d};
  product.transpose_b = Transpose::yes;
  Ledger ledger;
  ledger.begin_pass();
  Operators(ledger).multiply_heads(product, factors);
  const Pass pass = ledger.end_pass();
  REQUIRE(pass.operators.size() == 1);
  CHECK(pass.operators.front().work.flops == 2.0 * heads * t * t * d);
  for (std::size_t at = 0; at < c.size(); ++at) {
    const std::size_t head = at / t / t, i = at / t % t, j = at % t;
    Rounded sum = 0;
    for (std::size_t p = 0; p < d; ++p) {
      sum = sum + Rounded(a[(head * t + i) * d + p]) * Rounded(b[(head * t + j) * d + p]);
    }
    CHECK(error_share(c[at], sum) <= 1);
  }
}

using enum OperatorClass;

constexpr auto any = [](OperatorClass) { return true; };

TEST_CASE("a pass adds up what its operators report, by name, in the order they first ran") {
  Ledger ledger;
  ledger.begin_pass();
  for (int i = 0; i < 3; ++i) ledger.run(gemm, "product", {10, 4, 2}, [] {});
  ledger.run(elementwise, "bias", {1, 8, 0}, [] {});
  ledger.run(attention_softmax, "product", {5, 1, 0}, [] {});
  const Pass pass = ledger.end_pass();
  REQUIRE(pass.operators.size() == 3);
  CHECK(pass.operators[0].name == "product");
  CHECK(pass.operators[0].work.flops == 30);
  CHECK(pass.operators[0].work.traffic() == 18);
  CHECK(pass.operators[1].name == "bias");
  CHECK(pass.work(any).flops == 36);
  CHECK(pass.work([](OperatorClass c) { return c == gemm; }).flops == 30);
  CHECK(pass.operator_seconds(any) <= pass.seconds);
  CHECK(pass.operator_seconds(any) > 0);
}

TEST_CASE("a pass knows nothing of the one before") {
  Ledger ledger;
  ledger.begin_pass();
  ledger.run(gemm, "a", {10, 4, 2}, [] {});
  ledger.end_pass();
  ledger.begin_pass();
  ledger.run(gemm, "b", {1, 4, 2}, [] {});
  const Pass pass = ledger.end_pass();
  REQUIRE(pass.operators.size() == 1);
  CHECK(pass.operators[0].name == "b");
}

TEST_CASE("a product of matrices is counted by its definition") {
  const Work work = product_work(512, 3072, 768);
  CHECK(work.flops == 2.0 * 512 * 3072 * 768);
  CHECK(work.bytes == 4.0 * (512 * 768 + 768 * 3072 + 512 * 3072));
  CHECK(work.allocated_bytes == 4.0 * 512 * 3072);
  CHECK(product_work(1, 4096, 4096).intensity() == doctest::Approx(0.5).epsilon(0.001));
}

}  // namespace
}  // namespace hf::workload
