// The work that operators report, and what is computed from it.
#include <doctest/doctest.h>
#include <cstdint>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/operators.hpp"
#include "00-workload/kernels/passes.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/sizes.hpp"
#include "00-workload/kernels/transformer.hpp"

namespace hf::workload {
namespace {

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

/// Small enough for any machine, and for a sanitizer.
const Sizes tiny = {"tiny", {2, 24, 3, 40, 32}, 12, 3, 8, {20, 16, 5}, 4, {32, 4, 10}};

TEST_CASE("every pass reports its work, and the same each time") {
  Networks networks(tiny);
  for (PassRunner& runner : networks.runners()) {
    CAPTURE(runner.id);
    runner.run();
    runner.run();
    const Work first = runner.passes[0].work(any), second = runner.passes[1].work(any);
    CHECK(first.flops > 0);
    CHECK(first.flops == second.flops);
    CHECK(first.traffic() == second.traffic());
    for (const OperatorTotal& each : runner.passes[0].operators) CHECK(each.work.bytes > 0);
  }
}

TEST_CASE("the FLOPs in matrix products follow from the shapes") {
  Networks networks(tiny);
  const auto products = [](OperatorClass c) { return c == gemm || c == attention_product; };
  double prefill = 0, decode = 0, training = 0;
  for (PassRunner& runner : networks.runners()) {
    runner.run();
    const double flops = runner.passes.front().work(products).flops;
    if (runner.id == "prefill") prefill = flops;
    if (runner.id == "decode") decode = flops;
    if (runner.id == "training") training = flops;
  }
  const double c = 24, layers = 2, vocabulary = 40;
  const auto forward = [&](double tokens, double positions, double outputs) {
    return layers * tokens * (2 * 12 * c * c + 4 * positions * c) + 2 * outputs * vocabulary * c;
  };
  CHECK(prefill == doctest::Approx(forward(12, 12, 1)));
  CHECK(decode == doctest::Approx(forward(1, 13, 1) + forward(1, 14, 1) + forward(1, 15, 1)));
  CHECK(training == doctest::Approx(3 * forward(8, 8, 8)));  // each product has two in the backward pass
}

TEST_CASE("sizes follow from time and memory") {
  const std::uint64_t plenty = std::uint64_t{64} << 30;
  CHECK(choose_sizes(1000, 4, plenty).transformer.parameters() == gpt2_small.parameters());
  CHECK(choose_sizes(5, 4, plenty).transformer.parameters() < gpt2_small.parameters());
  CHECK(choose_sizes(1000, 4, std::uint64_t{1} << 30).transformer.parameters() < gpt2_small.parameters());
  const Sizes smallest = choose_sizes(0.001, 4, 0);
  CHECK(smallest.prompt + smallest.decoded <= smallest.transformer.context);
  CHECK(smallest.training_tokens < smallest.transformer.context);
  CHECK(smallest.resnet.side % 32 == 0);
  // The count used here for choosing agrees with the operators' own report for ResNet-18.
  Resnet resnet({64, 16, 10});
  Ledger ledger;
  ledger.begin_pass();
  std::vector<float> picture(3 * 64 * 64, 0.5f);
  resnet.forward(picture.data(), 64, ledger);
  CHECK(ledger.end_pass().work(any).flops < 2 * 2 * 8.8 * 64 * 64 * 16 * 16);
}

}  // namespace
}  // namespace hf::workload
