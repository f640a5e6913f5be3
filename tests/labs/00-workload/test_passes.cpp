// The passes of all networks, and the work that they report.
#include <doctest/doctest.h>
#include <cstdint>
#include <vector>

#include "00-workload/kernels/passes.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/sizes.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/work.hpp"

namespace hf::workload {
namespace {

using enum OperatorClass;

constexpr auto any = [](OperatorClass) { return true; };

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
