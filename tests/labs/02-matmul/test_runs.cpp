// The lab checks everything it times: right results pass, wrong ones are refused. It times everything that the chapter
// names.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/layers.hpp"
#include "02-matmul/bench/steps.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/dot_products.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/measure/blas.hpp"
#include "harness/measure/kernel_choice.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/observer.hpp"
#include "quiet_lab.hpp"

namespace hf::matmul {
namespace {

/// A product that omits the last term of every sum.
void forgetful(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      c[i * n + j] = 0;
      for (std::size_t p = 0; p + 1 < k; ++p) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
}

const Gemm right = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  gemm(m, n, k, a, b, c);
};

TEST_CASE("the contestants are the rungs and gemm(), on all cores only where there are several") {
  std::vector<std::string> ids, expected;
  for (const Contestant& each : contestants(2)) ids.push_back(each.id);
  for (const Rung& each : rungs()) expected.emplace_back(each.id);
  CHECK(expected.size() >= 5);
  expected.insert(expected.end(), {"best", "best_all"});
  CHECK(ids == expected);
  CHECK(contestants(1).size() == ids.size() - 1);
}

TEST_CASE("every contestant passes the check of its product, whole or in its first rows; a wrong one does not") {
  const SquareMatrices matrices(70), shifted(70, 8);
  for (const Contestant& each : contestants(2)) {
    CHECK_NOTHROW(matrices.check(each, 70));
    CHECK_NOTHROW(matrices.check(each, 3));
    CHECK_NOTHROW(shifted.check(each, 70));
  }
  CHECK_THROWS_AS(matrices.check({"forgetful", "forgetful", forgetful, 1}, 70), std::runtime_error);
}

TEST_CASE("every library that is found computes the product on one thread, and says what it is") {
  const SquareMatrices matrices(70);
  const std::vector<Peer> peers = find_peers();
  CHECK(std::ranges::count(peers, "openblas", &Peer::id) == (Blas::get().is_library() ? 1 : 0));
  for (const Peer& peer : peers) {
    CAPTURE(peer.name);
    CHECK(peer.name.find(' ') != std::string::npos);
    CHECK_FALSE(peer.kernels.empty());
    for (const Kernels& kernels : peer.kernels) {
      CAPTURE(kernels.name);
      CHECK(peer.name.find(kernels.name) != std::string::npos);
      if (kernels.set_threads) kernels.set_threads(1);
      CHECK_NOTHROW(matrices.check({peer.id, peer.name, kernels.multiply, 70}, 70));
    }
  }
}

TEST_CASE("MKL is loaded last, since libraries loaded after it would call its functions instead of their own") {
  const std::vector<Peer> peers = find_peers();
  const auto mkl = std::ranges::find(peers, "mkl", &Peer::id);
  CHECK((mkl == peers.end() || mkl + 1 == peers.end()));
}

TEST_CASE("every form of a layer passes its check; a wrong product does not") {
  const auto layers = [&](const Gemm& gemm) {
    return std::vector<LayerRun>{convolution_run({4, 6, 9, 7, 3}, gemm), attention_run({20, 16}, gemm),
                                 perceptron_run({.batch = 3, .inputs = 12, .hidden = 20}, gemm)};
  };
  for (const LayerRun& layer : layers(right)) CHECK_NOTHROW(check(layer));
  for (const LayerRun& layer : layers(forgetful)) CHECK_THROWS_AS(check(layer), std::runtime_error);
}

/// A lab on a core as fast as an emulated one, or as a real one.
struct TestLab : QuietLab {
  TestLab(Budget budget, double peak_gflops) : QuietLab({.id = "02-matmul", .title = "", .steps = {}}, budget) {
    lab.add(Value(first_peak_id, peak_gflops, "GFLOP/s"));
  }
};

bool contains(const std::vector<std::size_t>& sizes, std::size_t n) {
  return std::ranges::find(sizes, n) != sizes.end();
}

bool is_trap(std::size_t n) { return n % 256 == 0; }

TEST_CASE(
    "the ladder has ordinary sizes and traps, and what the chapter names, in every budget and on slow cores too") {
  for (Budget budget : {Budget::quick, Budget::full}) {
    for (double peak : {2.0, 200.0}) {
      const TestLab test(budget, peak);
      const std::vector<std::size_t> ladder = ladder_sizes(test.lab), conflict = conflict_sizes(test.lab);
      CHECK(std::ranges::is_sorted(ladder));
      CHECK(contains(ladder, anatomy_size(test.lab)));
      CHECK_FALSE(is_trap(anatomy_size(test.lab)));
      CHECK(std::ranges::count_if(ladder, is_trap) >= 2);
      for (std::size_t n : ladder) CHECK((is_trap(n) || n % 64 != 0));
      CHECK(std::ranges::is_sorted(conflict));
      for (std::size_t n : {1023, 1024, 1025}) CHECK(contains(conflict, n));
    }
  }
}

TEST_CASE("blocks in other shapes have at most the area of the chosen one, which is among them as gemm() makes it") {
  const Blocking chosen = {560, 288};
  const std::vector<Blocking> blocks = blocks_to_try(2000, chosen);
  CHECK(blocks.size() > 5);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CAPTURE(blocks[i].depth);
    CHECK(blocks[i].depth * blocks[i].width <= chosen.depth * chosen.width);
    CHECK(blocks[i].width > 0);
    if (i > 0) CHECK(blocks[i].depth > blocks[i - 1].depth);
  }
  CHECK(std::ranges::find(blocks, std::size_t{500}, &Blocking::depth) != blocks.end());  // 2000 in four equal parts
}

TEST_CASE("a block is held against the quickest, in pairs: the quickest against itself, a slower one above it") {
  const Sampling sampling = {{"flat", "square", "peak"},
                             {estimate({2.0, 3.0, 2.4}), estimate({1.0, 1.5, 1.6}), estimate({0.1, 0.1, 0.1})}};
  CHECK(over_best(sampling, {"flat", "square"}, 1).median == 1);
  CHECK(over_best(sampling, {"flat", "square"}, 0).median == 2);
}

TEST_CASE("in caches that hold everything, each float is fetched once and used n times, c read and written besides" *
          doctest::skip(!observes)) {
  const TestLab test(Budget::quick, 200);
  const CacheGeometry large = {1 << 20, 16};
  const RungTraffic traffic = rung_traffic(test.lab, 16, {large, large});
  CHECK(traffic.size() == rungs().size());
  CHECK(uses_per_float(16, traffic.at("naive")) == 2 * 16 / 4);
  const Series series = traffic_series("traffic_l2", "L2", &Traffic::l1_l2, traffic);
  REQUIRE(series.points.size() == rungs().size());
  CHECK(series.points.front().label == "naive");
  CHECK(series.points.front().y.median == 4 * 16 * 16 * sizeof(float));
}

TEST_CASE("around a power of two, each size has its bytes, and the power fetches the most into a small second cache" *
          doctest::skip(!observes)) {
  const TestLab test(Budget::quick, 200);
  const std::map<std::size_t, Fetched> fetched =
      simulate_conflict(test.lab, {250, 256, 262}, {{32 << 10, 8}, {64 << 10, 8}});
  REQUIRE(fetched.size() == 3);
  CHECK(fetched.at(256).into_l2 > 4 * fetched.at(250).into_l2);
  CHECK(fetched.at(256).into_l2 > 4 * fetched.at(262).into_l2);
}

TEST_CASE("the ladder's largest step with both rungs is found") {
  const auto step = [](std::size_t n, bool both) {
    LadderStep made = {n, {{"blocked", estimate({2.0})}}};
    if (both) made.gflops.emplace("loop_order", estimate({1.0}));
    return made;
  };
  const std::vector<LadderStep> steps = {step(64, true), step(128, true), step(256, false)};
  CHECK(last_step_with(steps, "blocked", "loop_order").n == 128);
  CHECK(rung_series("rung_blocked", {"blocked", "blocking", {}, 1}, steps).points.size() == 3);
  const Series series = rung_series("rung_loop_order", {"loop_order", "loop order", {}, 1}, steps);
  REQUIRE(series.points.size() == 2);
  CHECK(series.points.back().x == 128);
}

TEST_CASE("of a sampling the rounds in the usual state of the peak are kept, and of several the others are counted") {
  const std::vector<double> peak = {1.1, 1.1, 1.2, 2.1, 1.1, 1.1, 2.1, 1.2, 2.2, 1.1, 1.1, 1.1}, flat(12, 3.0);
  std::vector<double> rounds(12);
  std::iota(rounds.begin(), rounds.end(), 1.0);
  OneState state;
  const Sampling kept = state.of({{"best", "peak"}, {estimate(rounds), estimate(peak)}}, {"peak"});
  CHECK(kept.of("best").samples == std::vector<double>{1, 2, 3, 5, 6, 8, 10, 11, 12});
  CHECK(state.of({{"best", "peak"}, {estimate(rounds), estimate(flat)}}, {"peak"}).of("best").samples == rounds);
  const Sampling by_both =
      state.of({{"best", "flat", "peak"}, {estimate(rounds), estimate(flat), estimate(peak)}}, {"flat", "peak"});
  CHECK(by_both.of("best").samples == kept.of("best").samples);
}

TEST_CASE("b is the same matrix wherever it is laid, and products of it pass the check that the others do") {
  const SquareMatrices matrices(70);
  const RelaidMatrix far(matrices, 128, 1), turned(matrices, 1, 70);
  for (DotProducts* each : {one_sum, eight_sums}) CHECK_NOTHROW(matrices.check(far.multiplied_by("far", each), 70));
  for (DotProducts* each : {one_sum, eight_sums, eight_vector_sums, vector_sums, vector_tile}) {
    CHECK_NOTHROW(matrices.check(turned.multiplied_by("turned", each), 70));
  }
  const RelaidMatrix wrong(matrices, 1, 71);
  CHECK_THROWS_AS(matrices.check(wrong.multiplied_by("wrong",
                                                     [](auto m, auto n, auto k, auto a, Stored b, auto c) {
                                                       one_sum(m, n, k, a, {b.at, b.down, b.across - 1}, c);
                                                     }),
                                 70),
                  std::runtime_error);
}

TEST_CASE("the causes multiply to the whole, in each round") {
  LadderStep step = {100, {}};
  double speed = 1;
  for (const char* id : {"colliding", "naive", "transposed", "eight_sums", "eight_vectors", "vector_tile", "best"}) {
    step.gflops.emplace(id, estimate({speed, 1.5 * speed}));
    speed *= 2 + speed / 8;
  }
  const Series series = causes_series("causes", step);
  double product = 1;
  for (const Point& point : series.points) product *= point.y.median;
  CHECK(product == doctest::Approx(step.gain("best", "colliding").median));
  CHECK(series.points.front().label == "set conflicts");
  CHECK(series.points.front().y.median == doctest::Approx(step.gain("naive", "colliding").median));
}

TEST_CASE("at each size both peaks are sampled among the contestants") {
  const TestLab test(Budget::quick, 200);
  OneState state;
  const std::vector<LadderStep> steps = climb(test.lab, contestants(2), {16}, 2, state);
  REQUIRE(steps.size() == 1);
  for (const LadderStep& step : steps) {
    REQUIRE(step.has(peak_id));
    REQUIRE(step.has(peak_all_id));
    CHECK(step.gflops.at(peak_id).samples.size() == step.gflops.at("best").samples.size());
    CHECK(step.gflops.at(peak_id).median > 0);
  }
}

TEST_CASE("a share of the peak is that of the same rounds, of as many threads") {
  const LadderStep step = {100,
                           {{"best", estimate({50.0, 60.0})},
                            {"best_all", estimate({150.0})},
                            {peak_id, estimate({100.0, 120.0})},
                            {peak_all_id, estimate({200.0})}}};
  const Series series = anatomy_series("rungs", {{"best", "best", {}, 1}, {"best_all", "all", {}, 1}}, step);
  REQUIRE(series.points.size() == 2);
  CHECK(series.points[0].y.low == doctest::Approx(50));
  CHECK(series.points[0].y.high == doctest::Approx(50));
  CHECK(series.points[1].y.median == doctest::Approx(75));
}

TEST_CASE("the roof of the ladder is the peak where it was highest") {
  const std::vector<LadderStep> steps = {
      {8, {{peak_id, estimate({3.0})}}}, {16, {{peak_id, estimate({5.0})}}}, {32, {{peak_id, estimate({4.0})}}}};
  CHECK(highest_peak(steps, peak_id).median == 5);
}

TEST_CASE("the peak on OpenMP's threads counts what all of them do") {
  const PeakVariant one = openmp_peak(1), two = openmp_peak(2);
  CHECK(two.flops == 2 * one.flops);
  for (const PeakVariant* each : {&one, &two}) {
    const double seconds = each->variant.seconds(1000);
    CHECK(seconds > 0);
    // A core does fewer than 1000 FLOPs in a nanosecond.
    CHECK(each->flops * 1000 / seconds * 1e-9 < 1000 * 2);
    CHECK(each->gflops(estimate({2.0})).median == doctest::Approx(each->flops / 2e9));
  }
}

}  // namespace
}  // namespace hf::matmul
