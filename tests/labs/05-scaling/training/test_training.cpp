// Every parallel strategy gives the same gradients, weights and loss as one rank alone, to single precision, sends the
// expected bytes, and waits and keeps what its schedule says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "kit/learning/adam.hpp"
#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"
#include "kit/reference.hpp"

namespace hf::scaling {
namespace {

// Neither three nor four ranks divide the hidden neurons, the blocks, or the rows.
constexpr Problem problem = {
    .shape = {.width = 14, .hidden = 10, .blocks = 5, .classes = 3}, .rows = 22, .micros = 11, .experts = 12};
constexpr int rank_counts[] = {1, 2, 3, 4}, steps = 3;

Batch batch(int step, std::size_t rows = problem.rows) {
  return make_batch(rows, problem.shape.width, problem.shape.classes, static_cast<std::uint64_t>(step));
}

/// The data of one rank after each step.
struct Step {
  double loss;
  std::vector<float> gradients, weights;
};

struct Trained {
  NetworkPart part;
  std::vector<Step> steps;
};

/// The data of each rank, trained by a strategy.
std::vector<Trained> train(const Strategy& strategy, int n, std::uint64_t seed = 0, const Problem& what = problem) {
  std::vector<Trained> all(static_cast<std::size_t>(n));
  ThreadRanks(n, {}, seed).run([&](Transport& me) {
    const std::unique_ptr<Trainer> trainer = strategy.make(me, what);
    Network& network = trainer->network();
    Trained& mine = all[static_cast<std::size_t>(me.rank())];
    mine.part = network.part();
    for (int step = 0; step < steps; ++step) {
      Step now = {trainer->gradients(batch(step)), {}, {}};
      now.gradients.assign(network.gradients().begin(), network.gradients().end());
      trainer->update();
      now.weights.assign(network.weights().begin(), network.weights().end());
      mine.steps.push_back(now);
    }
  });
  return all;
}

/// The largest error share of a part.
double worst(const std::vector<float>& numbers, const std::vector<Reference>& of_all, const NetworkPart& part) {
  const std::vector<Reference> expected = part_of(of_all, problem.shape, part);
  REQUIRE(numbers.size() == expected.size());
  return worst_error_share(numbers, expected);
}

double median_bound(std::vector<Reference> numbers) {
  std::ranges::sort(numbers, {}, &Reference::bound);
  return numbers[numbers.size() / 2].bound;
}

TEST_CASE("every way gives the gradients, the weights and the loss of the reference, on any number of ranks") {
  for (const Strategy& strategy : strategies()) {
    const std::size_t experts = strategy.has_experts ? problem.experts : 1;
    for (const int n : rank_counts) {
      const std::vector<Trained> ranks = train(strategy, n);
      ReferenceTraining reference(problem.shape, experts);
      for (int step = 0; step < steps; ++step) {
        CAPTURE(strategy.id);
        CAPTURE(n);
        CAPTURE(step);
        const Reference loss = reference.gradients(batch(step));
        reference.update();
        double sum = 0;
        for (const Trained& rank : ranks) {
          const Step& now = rank.steps[static_cast<std::size_t>(step)];
          sum += now.loss;
          // If they are sharded, each rank has only the gradients of its share: the weights show them.
          if (std::string(strategy.id) != "data_sharded")
            REQUIRE(worst(now.gradients, reference.gradients(), rank.part) <= 1);
          REQUIRE(worst(now.weights, reference.weights(), rank.part) <= 1);
        }
        REQUIRE(std::abs(sum - loss.value) <= loss.bound);
        // Bounds that allow anything would prove nothing: a step moves a weight by about the learning rate.
        REQUIRE(median_bound(reference.weights()) < 0.2 * Adam::rate);
      }
    }
  }
}

TEST_CASE("the reference sees one example of another class, and one that is missing") {
  ReferenceTraining reference(problem.shape);
  Batch wrong = batch(0);
  wrong.labels[7] = (wrong.labels[7] + 1) % 3;
  reference.gradients(wrong);
  const Trained one = train(strategy("data"), 1)[0];
  const std::vector<float>& gradients = one.steps[0].gradients;
  CHECK(worst_error_share(gradients, reference.gradients()) > 100);
  reference.gradients(batch(0, problem.rows - 1));
  CHECK(worst_error_share(gradients, reference.gradients()) > 100);
  reference.gradients(batch(0));
  CHECK(worst_error_share(gradients, reference.gradients()) <= 1);
  CHECK(median_bound(reference.gradients()) < 1e-5);
}

TEST_CASE("the order of events changes no bit") {
  for (const Strategy& strategy : strategies()) {
    CAPTURE(strategy.id);
    const std::vector<Trained> first = train(strategy, 4, 1), second = train(strategy, 4, 2);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      CHECK(first[rank].steps.back().weights == second[rank].steps.back().weights);
    }
  }
}

TEST_CASE("neither sharding the optimiser's state nor overlapping changes a bit") {
  for (const int n : rank_counts) {
    CAPTURE(n);
    const auto weights = [&](const char* id) { return train(strategy(id), n)[0].steps.back().weights; };
    CHECK(weights("data_sharded") == weights("data"));
    CHECK(weights("data_overlapped") == weights("data_buckets"));
  }
}

TEST_CASE("sharded, the optimiser's state is cut by the number of ranks") {
  for (const int n : rank_counts) {
    std::vector<std::size_t> whole(static_cast<std::size_t>(n)), sharded(whole);
    ThreadRanks(n).run([&](Transport& me) {
      const auto rank = static_cast<std::size_t>(me.rank());
      whole[rank] = strategy("data").make(me, problem)->optimiser_bytes();
      sharded[rank] = strategy("data_sharded").make(me, problem)->optimiser_bytes();
    });
    const std::size_t all = 2 * problem.shape.weights() * sizeof(float);
    std::size_t sum = 0;
    for (const std::size_t bytes : sharded) {
      sum += bytes;
      CHECK(bytes <= all / static_cast<std::size_t>(n) + 2 * sizeof(float));
    }
    CHECK(sum == all);
    for (const std::size_t bytes : whole) CHECK(bytes == all);
  }
}

TEST_CASE("every way sends as many bytes as its formula says") {
  for (const Strategy& strategy : strategies()) {
    for (const int n : rank_counts) {
      CAPTURE(strategy.id);
      CAPTURE(n);
      CHECK(count_bytes(strategy, problem, batch(0), n) == strategy.bytes(problem, batch(0), n));
    }
  }
}

TEST_CASE("a stage keeps the activations of as many micro-batches as its schedule says") {
  for (const PipelineSchedule* schedule : {&gpipe, &one_forward_one_backward}) {
    for (const int n : rank_counts) {
      for (const int micros : {1, 2, 11}) {
        std::vector<int> kept(static_cast<std::size_t>(n));
        ThreadRanks(n).run([&](Transport& me) {
          PipelineParallel trainer(me, problem.shape, *schedule, micros);
          trainer.step(batch(0));
          kept[static_cast<std::size_t>(me.rank())] = static_cast<int>(trainer.most_kept());
        });
        for (int stage = 0; stage < n; ++stage) {
          CHECK(kept[static_cast<std::size_t>(stage)] == schedule->kept(stage, n, micros));
        }
      }
    }
  }
}

TEST_CASE("the classes are learned") {
  const Problem learned = {{.width = 32, .hidden = 64, .blocks = 2, .classes = 4}, 128, 4, 4};
  for (const char* id : {"data", "experts"}) {
    CAPTURE(id);
    Alone me;
    const std::unique_ptr<Trainer> trainer = strategy(id).make(me, learned);
    const auto step = [&](std::uint64_t index) { return trainer->step(make_batch(128, 32, 4, index)); };
    const double before = step(0);
    for (std::uint64_t index = 1; index < 80; ++index) step(index);
    CHECK(before > 0.9 * std::log(4));
    CHECK(step(80) < 0.5 * before);
  }
}

TEST_CASE("what does not divide is refused") {
  const auto trains = [](const char* id, int n, Problem what) {
    ThreadRanks(n).run([&](Transport& me) { strategy(id).make(me, what)->step(batch(0)); });
  };
  Problem other = problem;
  other.micros = 4;
  CHECK_THROWS_WITH_AS(trains("pipeline_gpipe", 2, other),
                       "PipelineParallel: 22 rows do not divide into 4 micro-batches", std::invalid_argument);
  CHECK_THROWS_AS(trains("pipeline_1f1b", 6, problem), std::invalid_argument);
  other.experts = 3;
  CHECK_THROWS_AS(trains("experts", 2, other), std::invalid_argument);
}

TEST_CASE("the ranks of a pipeline wait as long as the formula says, in both schedules") {
  for (const PipelineSchedule* schedule : {&gpipe, &one_forward_one_backward}) {
    for (const int stages : {1, 2, 3, 4, 5, 8}) {
      for (const int micros : {1, 2, 3, 4, 7, 8, 16, 32}) {
        CAPTURE(schedule->id);
        CAPTURE(stages);
        CAPTURE(micros);
        CHECK(simulate_bubble(*schedule, stages, micros) == doctest::Approx(bubble_predicted(stages, micros)));
      }
    }
  }
}

}  // namespace
}  // namespace hf::scaling
