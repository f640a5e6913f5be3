// Training as the lab runs it, on ranks that are threads; and what the model predicts.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/bench/predictions.hpp"
#include "05-scaling/bench/report.hpp"
#include "05-scaling/bench/runs.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "05-scaling/kernels/training/ways.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "common/ranks/transport.hpp"
#include "common/ranks/transport_threads.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
namespace {

class RanksOnThreads final : public Ranks {
 public:
  explicit RanksOnThreads(int size) : size_(size) {}
  int size() const override { return size_; }
  int hosts() const override { return 1; }
  int machines() const override { return 1; }
  bool crowded() const override { return true; }
  std::vector<nlohmann::json> run(const Task& task, const nlohmann::json& arguments,
                                  std::function<void()> tick) override {
    std::vector<nlohmann::json> answers(static_cast<std::size_t>(size_));
    ThreadRanks(size_).run([&](Transport& me) {
      Member member = {me, true, me.rank() == 0 ? tick : [] {}};
      answers[static_cast<std::size_t>(me.rank())] = task.run(member, arguments);
    });
    return answers;
  }

 private:
  int size_;
};

constexpr Problem small = {{.width = 8, .hidden = 6, .blocks = 4, .classes = 2}, 32, 4, 4};
constexpr RankPlan once = {.rounds = 2, .minimum_rounds = 2};

TEST_CASE("the lab's check finds every way right, on any number of ranks") {
  for (const int n : {1, 2, 3, 4, 6}) {
    CAPTURE(n);
    RanksOnThreads ranks(n);
    const double worst = worst_training_error(ranks, [] {});
    CHECK(worst > 0);
    CHECK(worst <= 1);
  }
}

TEST_CASE("all ways that train one network have one loss, and each rank its share of the optimiser's state") {
  RanksOnThreads ranks(3);
  int ticks = 0;
  const std::vector<Learned> learned = learn_in_all_ways(ranks, 4, [&] { ++ticks; });
  CHECK(ticks > 0);
  REQUIRE(learned.size() == ways().size() - 1);  // experts are another network
  CHECK(loss_spread(learned) < 1e-4);
  const auto sum = [](const std::vector<double>& of) { return std::accumulate(of.begin(), of.end(), 0.0); };
  const Learned &data = learned_in(learned, "data"), &sharded = learned_in(learned, "data_sharded");
  CHECK(sum(sharded.optimiser_bytes) == data.optimiser_bytes[0]);
  CHECK(sum(data.optimiser_bytes) == 3 * data.optimiser_bytes[0]);
  CHECK(data.last_loss < data.first_loss);
  CHECK_THROWS_AS(learned_in(learned, "none"), std::out_of_range);
}

TEST_CASE("steps are timed, and every pipeline") {
  RanksOnThreads ranks(2);
  const Sampling steps = time_steps(ranks, small, once, [] {});
  for (const char* id : {"one", "one_experts", "part", "weak_part", "tensor_part", "pipeline_part", "weak", "data",
                         "data_buckets", "data_overlapped", "tensor", "pipeline_1f1b", "experts"}) {
    CHECK(steps.of(id).samples.size() == 2);
  }
  const std::vector<Bubble> bubbles = time_bubbles(ranks, small, once, [] {});
  for (const Schedule* schedule : {&gpipe, &one_forward_one_backward}) {
    for (const int micros : micro_batches) {
      const Bubble& bubble = bubble_at(bubbles, *schedule, micros);
      CHECK(bubble.share.low > 0);
      CHECK(bubble.share.high < 1);
      CHECK(bubble.kept == schedule->kept(0, 2, micros));
    }
    CHECK(bubble_measured(bubbles, *schedule).points.size() == std::size(micro_batches));
  }
}

TEST_CASE("bytes are counted as predicted, and are those of the literature") {
  for (const Travel& travel : count_travel({2}, [] {})) {
    CAPTURE(travel.way->id);
    CHECK(travel.is_exact);
    CHECK(travel.counted.points.size() == 1);
  }
  // The gradients, 2(n - 1) / n times.
  const Problem problem = timed_problem(4);
  CHECK(way("data").bytes(problem, {}, 4) / 4 == 1.5 * static_cast<double>(problem.shape.weights() * sizeof(float)));
}

/// Seconds that time_steps() might have found.
Sampling times(const std::vector<std::pair<std::string, double>>& seconds) {
  Sampling sampling;
  for (const auto& [id, each] : seconds) {
    sampling.ids.push_back(id);
    sampling.seconds.push_back(estimate({each}));
  }
  return sampling;
}

TEST_CASE("steps are predicted from what a rank computes and from what travels") {
  const Sampling steps = times({{"one", 8},
                                {"one_experts", 8},
                                {"part", 4},
                                {"weak_part", 8},
                                {"tensor_part", 5},
                                {"pipeline_part", 4},
                                {"data", 5},
                                {"weak", 10},
                                {"tensor", 8},
                                {"pipeline_1f1b", 8},
                                {"experts", 16}});
  const StepPredictions free = predict_steps(small, 2, steps, {0, 0});
  CHECK(free.data == 4);
  CHECK(free.weak == 8);
  CHECK(free.tensor == 5);
  CHECK(free.pipeline == 4 * 5. / 4);
  CHECK(free.experts >= 4);  // as its fullest rank
  CHECK(free.experts < 8);

  const double weights = 4 * 2 * 8 * 6 + 8 * 2, x = 32 * 8;
  const StepPredictions by_bytes = predict_steps(small, 2, steps, {0, 1. / sizeof(float)});  // a number takes a second
  CHECK(by_bytes.data - free.data == doctest::Approx(weights));
  CHECK(by_bytes.tensor - free.tensor == doctest::Approx(2 * 4 * x));
  CHECK(by_bytes.pipeline - free.pipeline == doctest::Approx(2 * 4 * x / 4));
  CHECK(by_bytes.experts - free.experts == doctest::Approx(4 * 4 * x / 4 + 8 * 2));
  const StepPredictions by_messages = predict_steps(small, 2, steps, {1, 0});
  CHECK(by_messages.data - free.data == 2);
  CHECK(by_messages.tensor - free.tensor == 2 * 4 * 2);

  const std::vector<Efficiency> found = efficiencies(steps, 2, free);
  CHECK(found[0].measured.median == doctest::Approx(0.8));  // 8 / (2 · 5)
  CHECK(found[0].predicted == doctest::Approx(1));
  CHECK(found[1].measured.median == doctest::Approx(0.8));  // 8 / 10: each has a batch of its own
  CHECK(found[4].measured.median == doctest::Approx(0.25));
  CHECK(efficiency_series(found)[1].points[0].y.median == doctest::Approx(100));
}

TEST_CASE(
    "overlapping hides all but the last block where the wire is fast, and all but the computing where it is slow") {
  const double numbers = 2 * 8 * 6;  // of a block, of which there are four
  const auto gain = [&](double seconds) {
    return overlap_gain_possible(small, 2, 12, {0, seconds / (numbers * sizeof(float))});
  };
  CHECK(gain(0) == doctest::Approx(1));
  CHECK(gain(1) == doctest::Approx((12. + 4) / (12 + 1)));
  CHECK(gain(2) == doctest::Approx((12. + 8) / (12 + 2)));    // a block is ready every two seconds
  CHECK(gain(10) == doctest::Approx((12. + 40) / (6 + 40)));  // the first block is ready after six
}

}  // namespace
}  // namespace hf::scaling
