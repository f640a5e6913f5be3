// Training as the lab runs it, with threads as ranks; and the model's predictions.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

class RanksOnThreads final : public Ranks {
 public:
  explicit RanksOnThreads(int size) : size_(size) {}
  int size() const override { return size_; }
  int hosts() const override { return 1; }
  int machines() const override { return 1; }
  bool oversubscribed() const override { return true; }
  std::vector<nlohmann::json> run(const Task& task, const nlohmann::json& arguments,
                                  std::function<void()> tick) override {
    std::vector<nlohmann::json> answers(static_cast<std::size_t>(size_));
    ThreadRanks(size_).run([&](Transport& me) {
      Member member = {me, me.rank() == 0 ? tick : [] {}};
      answers[static_cast<std::size_t>(me.rank())] = task.run(member, arguments);
    });
    return answers;
  }

 private:
  int size_;
};

using nlohmann::json;

constexpr Problem small = {{.width = 8, .hidden = 6, .blocks = 4, .classes = 2}, 32, 4, 4};
const json small_twice = {  // in two rounds
    {"ids", {"one", "part", "update", "weak", "data_overlapped", "experts"}},
    {"problem",
     {{"shape", {{"width", 8}, {"hidden", 6}, {"blocks", 4}, {"classes", 2}}},
      {"rows", 32},
      {"micros", 4},
      {"experts", 4}}},
    {"plan", {{"rounds", 2}, {"minimum_rounds", 2}, {"budget_seconds", 60}}}};

TEST_CASE("the lab's check finds every strategy right, on any number of ranks") {
  for (const int n : {1, 2, 3, 4, 6}) {
    CAPTURE(n);
    const std::vector<json> errors = RanksOnThreads(n).run(check_training_task, {}, [] {});
    const double worst = *std::ranges::max_element(errors);
    CHECK(worst > 0);
    CHECK(worst <= 1);
  }
}

TEST_CASE("what is asked for is timed, and every pipeline waits") {
  const json steps = RanksOnThreads(2).run(training_steps_task, small_twice, [] {}).front();
  for (const std::string id : small_twice.at("ids")) CHECK(steps.at(id).size() == 2);

  const std::vector<json> ranks = RanksOnThreads(2).run(bubbles_task, small_twice, [] {});
  REQUIRE(ranks[0].size() == 12);  // two schedules, six numbers of micro-batches
  for (std::size_t run = 0; run < 12; ++run) {
    for (const std::size_t round : {0, 1}) {
      CHECK(ranks[1].at(run).at("busy").at(round) < ranks[0].at(run).at("seconds").at(round));
    }
  }
}

TEST_CASE("bytes are those of the literature: the gradients, 2(n - 1) / n times") {
  const Batch batch = make_batch(small.rows, small.shape.width, small.shape.classes, 0);
  CHECK(strategy("data").bytes(small, batch, 4) / 4 ==
        1.5 * static_cast<double>(small.shape.weights() * sizeof(float)));
}

TEST_CASE("steps are predicted from what a rank computes and from what travels") {
  const StrategySeconds alone = {.data = 4, .weak = 8, .tensor = 5, .pipeline = 4, .experts = 8};
  const StrategySeconds free = predict_steps(small, 2, alone, {0, 0});
  CHECK(free.data == 4);
  CHECK(free.weak == 8);
  CHECK(free.tensor == 5);
  CHECK(free.pipeline == 4 * 5. / 4);
  CHECK(free.experts >= 4);  // like its fullest rank
  CHECK(free.experts < 8);

  const double weights = 4 * 2 * 8 * 6 + 8 * 2, x = 32 * 8;
  const StrategySeconds by_bytes = predict_steps(small, 2, alone, {0, 1. / sizeof(float)});  // a number takes a second
  CHECK(by_bytes.data - free.data == doctest::Approx(weights));
  CHECK(by_bytes.tensor - free.tensor == doctest::Approx(2 * 4 * x));
  CHECK(by_bytes.pipeline - free.pipeline == doctest::Approx(2 * 4 * x / 4));
  CHECK(by_bytes.experts - free.experts == doctest::Approx(4 * 4 * x / 4 + 8 * 2));
  const StrategySeconds by_messages = predict_steps(small, 2, alone, {1, 0});
  CHECK(by_messages.data - free.data == 2);
  CHECK(by_messages.tensor - free.tensor == 2 * 4 * 2);
}

TEST_CASE(
    "overlapping hides all but the last block where the wire is fast, and all but the computing where it is slow") {
  const double numbers = 2 * 8 * 6;  // of a block, of which there are four
  const auto gain = [&](double seconds, double update = 0) {
    return overlap_gain_possible(small, 2, 12, update, {0, seconds / (numbers * sizeof(float))});
  };
  CHECK(gain(0) == doctest::Approx(1));
  CHECK(gain(1) == doctest::Approx((12. + 4) / (12 + 1)));
  CHECK(gain(2) == doctest::Approx((12. + 8) / (12 + 2)));             // a block is ready every two seconds
  CHECK(gain(10) == doctest::Approx((12. + 40) / (6 + 40)));           // the first block is ready after six
  CHECK(gain(1, 7) == doctest::Approx((12. + 4 + 7) / (12 + 1 + 7)));  // nothing overlaps with the update
}

}  // namespace
}  // namespace hf::scaling
