#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/call_runs.hpp"
#include "07-compilers/bench/exercises.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/fusion/fusion_graphs.hpp"
#include "07-compilers/kernels/layers/assembly.hpp"
#include "07-compilers/kernels/layers/translation.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::compilers {
namespace {

const Axis batch_axis = {"batch", "1"}, time_axis = {"time", "us"}, step_axis = {"step", "1"};

constexpr std::size_t seen_batch = 32;  // of the linear layer whose steps are shown

Estimate in_us(const Estimate& seconds) { return times(seconds, 1e6); }

std::vector<std::size_t> model_batches(const Lab& lab) {
  return lab.quick() ? std::vector<std::size_t>{1, 16, 256} : std::vector<std::size_t>{1, 4, 16, 64, 256};
}

void add_sizes(Lab& lab, const Translation& translation) {
  const AssemblyFunction loop = translation.first_loop();
  const auto count = [&](const std::string& id, std::size_t number) {
    lab.derived("translation_" + id, as_double(number));
  };
  count("operators", translation.operators());
  count("loops", translation.loops());
  count("lines", translation.lines());
  count("program_lines", translation.program_lines());
  count("instructions", loop.instructions.size());
  count("loop_instructions", loop.loop_count);
}

/// The way of one graph, relu(x) · 0.5 + 1, to machine code: how large it is on the way, and how long each stage takes.
void measure_translation(Lab& lab) {
  Translation translation(chain_graph({4096, 4096}));
  add_sizes(lab, translation);
  Plan plan = lab.plan(4);
  plan.warm_seconds = 0;
  const Sampling sampling = sample_interleaved(translation.stages(), plan);
  Series series = {"translation_stages", "one loop", Kind::measured, step_axis, time_axis};
  for (std::size_t i = 0; i < sampling.ids.size(); ++i) {
    series.points.emplace_back(as_double(i), in_us(sampling.seconds[i]), sampling.ids[i]);
  }
  lab.add(std::move(series));
  for (const std::string stage : {"plan", "emit"}) {
    lab.add(Value("translation_" + stage + "_us", in_us(sampling.of(stage)), "us"));
  }
}

/// What a step of a call adds to those before it.
struct CallStep {
  std::string label, variant;
};

/// Each point is the time from the call to the end of a step.
void add_steps(Lab& lab, const CallRuns& runs, const Sampling& sampling, const std::string& way,
               const std::string& label, const std::vector<CallStep>& steps) {
  Series series = {"steps_" + way, label, Kind::measured, step_axis, time_axis};
  for (const CallStep& step : steps) {
    if (step.variant.starts_with("torch") && !runs.race().is_there(step.variant)) return;
    series.points.emplace_back(as_double(series.points.size()), in_us(sampling.of(step.variant)), step.label);
  }
  lab.add(std::move(series));
}

/// Linear(768, 768): from model(x) to its arithmetic.
void add_linear_steps(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  const std::string whole = "linear " + std::to_string(seen_batch);
  add_steps(lab, runs, sampling, "eager", "ours, eager",
            {{"operator", "operator"},
             {"graph", "eager linear hollow"},
             {"threads", "eager launched"},
             {"arithmetic", "eager " + whole}});
  add_steps(
      lab, runs, sampling, "compiled", "ours, compiled",
      {{"loops", "compiled linear hollow"}, {"threads", "compiled launched"}, {"arithmetic", "compiled " + whole}});
  add_steps(lab, runs, sampling, "torch_eager", "PyTorch, eager",
            {{"Python", "torch eager python"},
             {"dispatcher", "torch eager dispatcher"},
             {"operator", "torch eager operator"},
             {"module", "torch eager module"},
             {"arithmetic", "torch eager " + whole}});
  add_steps(lab, runs, sampling, "torch_best", "PyTorch, compiled",
            {{"Python", "torch eager python"},
             {"guards, call", "torch compiled linear hollow"},
             {"arithmetic", "torch compiled " + whole}});
}

/// A call of one number's work.
void add_calls(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  const auto add = [&](const std::string& id, const std::string& variant) {
    if (variant.starts_with("torch") && !runs.race().is_there(variant)) return;
    lab.add(Value(id, times(sampling.of(variant), 1e9), "ns"));
  };
  add("call_eager_ns", "eager linear hollow");
  add("call_torch_eager_ns", "torch eager linear hollow");
  add("call_torch_best_ns", "torch compiled linear hollow");
  lab.add(Value("model_hollow_speedup", sampling.ratio("eager model hollow", "compiled model hollow"), "1"));
}

/// Before anything is seen of a whole call, it should take what calling takes, and its arithmetic at the roofline.
double compiled_seconds(const CallRuns& runs, const Sampling& sampling, std::size_t batch) {
  const double launches = as_double(runs.model().loops()) * sampling.of("launch").median;
  return sampling.of("compiled model hollow").median + launches + runs.arithmetic_seconds(sampling, batch);
}
double torch_seconds(const CallRuns& runs, const Sampling& sampling, std::size_t batch) {
  return sampling.of("torch eager model hollow").median + runs.arithmetic_seconds(sampling, batch);
}

/// The whole model over the batch, beside what it should take; of PyTorch's, how much of one row's time is calling.
void add_models(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  const std::vector<std::size_t> batches = model_batches(lab);
  const auto add = [&](const std::string& id, const std::string& label, const std::string& variant,
                       const auto& predicted_seconds) {
    Series measured = {id, label, Kind::measured, batch_axis, time_axis};
    Series predicted = {id + "_predicted", label + ", predicted", Kind::modelled, batch_axis, time_axis};
    for (std::size_t batch : batches) {
      measured.points.emplace_back(as_double(batch), in_us(sampling.of(variant + std::to_string(batch))));
      predicted.points.emplace_back(as_double(batch), predicted_seconds(runs, sampling, batch) * 1e6);
    }
    lab.add(std::move(measured));
    lab.add(std::move(predicted));
  };
  add("model_compiled", "ours, compiled", "compiled model ", compiled_seconds);
  const std::string hollow = "torch eager model hollow", model = "torch eager model ";
  const auto is_there = [&](std::size_t batch) { return runs.race().is_there(model + std::to_string(batch)); };
  if (!runs.race().is_there(hollow) || !std::ranges::all_of(batches, is_there)) return;
  add("model_torch_eager", "PyTorch, eager", model, torch_seconds);
  lab.add(Value("model_torch_eager_hollow_us", in_us(sampling.of(hollow)), "us"));
  lab.add(Value("model_torch_eager_1_us", in_us(sampling.of(model + "1")), "us"));
  lab.derived("model_torch_eager_1_calling_share");
}

/// How far the compiled model is from its prediction.
void add_prediction_error(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  std::vector<double> errors;
  for (std::size_t batch : model_batches(lab)) {
    const double measured = sampling.of("compiled model " + std::to_string(batch)).median;
    errors.push_back(std::abs(measured / compiled_seconds(runs, sampling, batch) - 1));
  }
  lab.derived("model_prediction_error_median", estimate(errors).median);
}

/// On a machine with a GPU, and PyTorch: three kernels or one.
void measure_exercises(Lab& lab) {
  if (lab.machine().gpus.empty()) return;
  constexpr std::size_t side = 4096;
  constexpr double patience = 120;
  try {
    const Exercises exercises = run_exercises("cuda", side, lab.quick() ? 11 : 31, patience);
    const double once_bytes = 2 * as_double(side * side * sizeof(float));  // read, and written
    lab.add(Value("exercise_unfused_ms", exercises.unfused_ms, "ms"));
    lab.add(Value("exercise_fused_ms", exercises.fused_ms, "ms"));
    lab.add(Value("exercise_speedup", ratio(exercises.unfused_ms.samples, exercises.fused_ms.samples), "1"));
    const auto row = [&](const char* how, const Estimate& ms, double passes, double kernels) {
      return std::vector<std::string>{how, number_text(ms.median), number_text(passes * once_bytes / ms.median * 1e-6),
                                      number_text(kernels)};
    };
    lab.show({"relu · 0.5 + 1 in PyTorch, on " + exercises.device,
              {"", "ms", "GB/s", "kernels"},
              {row("unfused", exercises.unfused_ms, 3, exercises.unfused_kernels),
               row("fused", exercises.fused_ms, 1, exercises.fused_kernels)}});
  } catch (const ExercisesFailed& error) {
    lab.note(std::string("no exercises on the GPU: ") + error.what());
  }
}

}  // namespace

void measure_layers(Lab& lab) {
  try {
    measure_translation(lab);
  } catch (const BuildError& error) {
    lab.incomplete(std::string("no stages of translation: ") + error.what());
  }
  CallRuns runs(lab, seen_batch, model_batches(lab));
  Plan plan = lab.plan(2);
  plan.sample_seconds = 2e-3;
  plan.warm_seconds = 3e-3;  // a core that rested joins loops after some milliseconds only
  const Sampling sampling = runs.sample(plan);
  add_linear_steps(lab, runs, sampling);
  add_calls(lab, runs, sampling);
  add_models(lab, runs, sampling);
  add_prediction_error(lab, runs, sampling);
  measure_exercises(lab);
}

}  // namespace hf::compilers
