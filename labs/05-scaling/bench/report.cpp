#include "05-scaling/bench/report.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "05-scaling/bench/predictions.hpp"
#include "05-scaling/bench/runs.hpp"
#include "05-scaling/kernels/training/examples.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "05-scaling/kernels/training/ways.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
namespace {

const Axis micros_axis = {"micro-batches", "1"}, waiting_axis = {"time spent waiting", "%"};

Estimate in_percent(const Estimate& share) {
  return transform(share, [](double s) { return 100 * s; });
}

}  // namespace

const Learned& learned_in(const std::vector<Learned>& learned, std::string_view way) {
  for (const Learned& each : learned) {
    if (each.way->id == way) return each;
  }
  throw std::out_of_range("nothing was learned in the way " + std::string(way));
}

double loss_spread(const std::vector<Learned>& learned) {
  const auto [least, most] = std::ranges::minmax_element(learned, {}, &Learned::last_loss);
  return (most->last_loss - least->last_loss) / learned_in(learned, "data").first_loss;
}

std::vector<Travel> count_travel(const std::vector<int>& rank_counts, const std::function<void()>& tick) {
  const Axis ranks_axis = {"ranks", "1"}, sent = {"MB that a rank sends in a step", "1"};
  std::vector<Travel> travels;
  for (const char* id : {"data", "tensor", "pipeline_1f1b", "experts"}) {
    const Way& each = way(id);
    Travel travel = {&each, {"travel_" + std::string(id), each.name, Kind::simulated, ranks_axis, sent}, true};
    for (const int n : rank_counts) {
      tick();
      const Problem problem = timed_problem(n);
      const Batch batch = make_batch(problem.rows, problem.shape.width, problem.shape.classes, 0);
      const double counted = count_bytes(each, problem, batch, n);
      travel.counted.points.emplace_back(n, counted / n * 1e-6);
      travel.is_exact = travel.is_exact && counted == each.bytes(problem, batch, n);
    }
    travels.push_back(travel);
  }
  return travels;
}

Series bubble_formula(const std::string& id, int stages) {
  Series series = {id, std::to_string(stages) + " ranks, predicted", Kind::modelled, micros_axis, waiting_axis};
  for (const int micros : micro_batches) series.points.emplace_back(micros, 100 * bubble_predicted(stages, micros));
  return series;
}

Series bubble_simulated(const Schedule& schedule, int stages) {
  const std::string n = std::to_string(stages);
  Series series = {"bubble_simulated_" + n, n + " ranks, " + schedule.name, Kind::simulated, micros_axis, waiting_axis};
  for (const int micros : micro_batches) {
    series.points.emplace_back(micros, 100 * simulate_bubble(schedule, stages, micros));
  }
  return series;
}

Series bubble_measured(const std::vector<Bubble>& bubbles, const Schedule& schedule) {
  Series series = {"bubble_" + std::string(schedule.id), schedule.name, Kind::measured, micros_axis, waiting_axis};
  for (const Bubble& each : bubbles) {
    if (each.schedule == &schedule) series.points.emplace_back(each.micros, in_percent(each.share));
  }
  return series;
}

const Bubble& bubble_at(const std::vector<Bubble>& bubbles, const Schedule& schedule, int micros) {
  for (const Bubble& each : bubbles) {
    if (each.schedule == &schedule && each.micros == micros) return each;
  }
  throw std::out_of_range("no bubble was measured with so many micro-batches");
}

std::vector<Efficiency> efficiencies(const Sampling& steps, int ranks, const StepPredictions& predicted) {
  const auto efficiency = [&](const char* label, const char* one, const char* all, double seconds, int batches) {
    const double share = static_cast<double>(batches) / ranks;
    return Efficiency{label, transform(steps.ratio(one, all), [&](double r) { return r * share; }),
                      steps.of(one).median * share / seconds};
  };
  return {efficiency("data", "one", "data", predicted.data, 1),
          efficiency("data, a batch each", "one", "weak", predicted.weak, ranks),
          efficiency("tensor", "one", "tensor", predicted.tensor, 1),
          efficiency("pipeline, 1F1B", "one", "pipeline_1f1b", predicted.pipeline, 1),
          efficiency("experts", "one_experts", "experts", predicted.experts, 1)};
}

std::vector<Series> efficiency_series(const std::vector<Efficiency>& efficiencies) {
  const Axis way = {"way to train", "1"}, share = {"efficiency", "%"};
  Series measured = {"training_efficiency", "measured", Kind::measured, way, share};
  Series predicted = {"training_efficiency_predicted", "predicted", Kind::modelled, way, share};
  for (const Efficiency& each : efficiencies) {
    const auto place = static_cast<double>(measured.points.size() + 1);
    measured.points.emplace_back(place, in_percent(each.measured), each.label);
    predicted.points.emplace_back(place, 100 * each.predicted, each.label);
  }
  return {measured, predicted};
}

}  // namespace hf::scaling
