#include "07-compilers/layers/steps.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/compiler/build.hpp"
#include "07-compilers/fusion/fusion_graphs.hpp"
#include "07-compilers/layers/assembly.hpp"
#include "07-compilers/layers/call_runs.hpp"
#include "07-compilers/layers/exercises.hpp"
#include "07-compilers/layers/translation.hpp"
#include "07-compilers/pytorch/torch_race.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

const Axis batch_axis = {"batch", "1"}, share_axis = {"share", "1"}, time_axis = {"time", "us"},
           step_axis = {"step", "1"};

constexpr std::size_t seen_batch = 32;  // of the linear layer whose steps are shown

/// One of the ways to call a graph.
struct Way {
  std::string id, label, prefix;  ///< in the record, in figures, and of its variants
};
const std::vector<Way> ways = {{"eager", "ours, eager", "eager "},
                               {"compiled", "ours, compiled", "compiled "},
                               {"torch_eager", "PyTorch, eager", "torch eager "},
                               {"torch_best", "PyTorch, compiled", "torch compiled "}};

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
  lab.derived("translation_machine_code_bytes", as_double(translation.first_loop_bytes()), "B");
}

/// Whether a stage is the system's compiler's.
bool is_of_the_system(const std::string& stage) { return stage == "compile" || stage == "assemble" || stage == "link"; }

/// The way of one graph, relu(x) · 0.5 + 1, to machine code: how large it is on the way, and how long each stage takes.
void measure_translation(Lab& lab) {
  Translation translation(chain_graph({4096, 4096}));
  add_sizes(lab, translation);
  Plan plan = lab.plan(4);
  plan.warm_seconds = 0;
  const Sampling sampling = sample_interleaved(translation.stages(), plan);
  Series series = {"translation_stages", "one loop", Kind::measured, step_axis, time_axis};
  double all = 0, by_system = 0;
  for (std::size_t i = 0; i < sampling.ids.size(); ++i) {
    const Estimate time = in_us(sampling.seconds[i]);
    lab.add(Value("translation_" + sampling.ids[i] + "_us", time, "us"));
    series.points.emplace_back(as_double(i), time, sampling.ids[i]);
    all += time.median;
    if (is_of_the_system(sampling.ids[i])) by_system += time.median;
  }
  lab.add(std::move(series));
  lab.derived("translation_us", all, "us");
  lab.derived("translation_by_system_share", by_system / all);
}

/// What a step of a call adds to those before it.
struct CallStep {
  std::string label, variant;
};

/// Each point is the time from the call to the end of a step.
void add_steps(Lab& lab, const CallRuns& runs, const Sampling& sampling, const Way& way,
               const std::vector<CallStep>& steps) {
  Series series = {"steps_" + way.id, way.label, Kind::measured, step_axis, time_axis};
  for (const CallStep& step : steps) {
    if (step.variant.starts_with("torch") && !runs.race().is_there(step.variant)) return;
    series.points.emplace_back(as_double(series.points.size()), in_us(sampling.of(step.variant)), step.label);
  }
  lab.add(std::move(series));
}

/// Linear(768, 768): from model(x) to its arithmetic.
void add_linear_steps(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  const std::string whole = "linear " + std::to_string(seen_batch);
  add_steps(lab, runs, sampling, ways[0],
            {{"operator", "operator"},
             {"graph", "eager linear hollow"},
             {"threads", "eager launched"},
             {"arithmetic", "eager " + whole}});
  add_steps(
      lab, runs, sampling, ways[1],
      {{"loops", "compiled linear hollow"}, {"threads", "compiled launched"}, {"arithmetic", "compiled " + whole}});
  add_steps(lab, runs, sampling, ways[2],
            {{"Python", "torch eager python"},
             {"dispatcher", "torch eager dispatcher"},
             {"operator", "torch eager operator"},
             {"module", "torch eager module"},
             {"arithmetic", "torch eager " + whole}});
  add_steps(lab, runs, sampling, ways[3],
            {{"Python", "torch eager python"},
             {"guards, call", "torch compiled linear hollow"},
             {"arithmetic", "torch compiled " + whole}});
}

/// Values of the steps: a call of one number's work, and of what lies before.
void add_overheads(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  const auto add = [&](const std::string& id, const std::string& variant) {
    if (variant.starts_with("torch") && !runs.race().is_there(variant)) return;
    lab.add(Value(id, times(sampling.of(variant), 1e9), "ns"));
  };
  add("call_operator_ns", "operator");
  add("call_launch_ns", "launch");
  add("call_eager_ns", "eager linear hollow");
  add("call_compiled_ns", "compiled linear hollow");
  add("call_torch_python_ns", "torch eager python");
  add("call_torch_dispatcher_ns", "torch eager dispatcher");
  add("call_torch_operator_ns", "torch eager operator");
  add("call_torch_eager_ns", "torch eager linear hollow");
  add("call_torch_best_ns", "torch compiled linear hollow");
  if (const auto seconds = runs.race().start_seconds()) lab.derived("torch_compiler_start_seconds", *seconds, "s");
  if (const auto best = runs.race().best("model 1")) {
    const Estimate seconds = estimate({best->first_call_seconds});
    lab.add(Value("torch_best_first_call_seconds", seconds, "s", best->settings));
  }
}

/// The whole model in one way, over the batch; and what of it is left when each operator has one number to work on.
void add_model(Lab& lab, const CallRuns& runs, const Sampling& sampling, const Way& way) {
  const std::string hollow = way.prefix + "model hollow";
  const auto is_there = [&](const std::string& variant) {
    return !variant.starts_with("torch") || runs.race().is_there(variant);
  };
  if (!is_there(hollow)) return;
  Series whole = {"model_" + way.id, way.label, Kind::measured, batch_axis, time_axis};
  Series shares = {"model_share_" + way.id, way.label, Kind::measured, batch_axis, share_axis};
  lab.add(Value("model_" + way.id + "_hollow_us", in_us(sampling.of(hollow)), "us"));
  for (std::size_t batch : model_batches(lab)) {
    const std::string number = std::to_string(batch), variant = way.prefix + "model " + number;
    if (!is_there(variant)) continue;
    const Estimate time = in_us(sampling.of(variant)), share = sampling.ratio(hollow, variant);
    whole.points.emplace_back(as_double(batch), time);
    shares.points.emplace_back(as_double(batch), share);
    if (batch != 1 && batch != 256) continue;
    const auto best = runs.race().best("model " + number);
    const bool is_best = way.id == "torch_best" && best;
    lab.add(Value("model_" + way.id + "_" + number + "_us", time, "us", is_best ? best->settings : ""));
    lab.derived("model_" + way.id + "_" + number + "_calling_share");
  }
  if (whole.points.size() < model_batches(lab).size()) return;
  lab.add(std::move(whole));
  lab.add(std::move(shares));
}

/// Before anything is seen of a whole call, it should take what calling takes, and its arithmetic at the roofline.
double predicted_seconds(const CallRuns& runs, const Sampling& sampling, const Way& way, std::size_t batch) {
  const bool is_ours = !way.id.starts_with("torch");
  const double launches = is_ours ? as_double(runs.model().loops()) * sampling.of("launch").median : 0;
  return sampling.of(way.prefix + "model hollow").median + launches + runs.arithmetic_seconds(sampling, batch);
}

void add_prediction(Lab& lab, const CallRuns& runs, const Sampling& sampling, const Way& way) {
  const std::string hollow = way.prefix + "model hollow";
  if (way.id.starts_with("torch") && !runs.race().is_there(hollow)) return;
  Series times = {"model_" + way.id + "_predicted", way.label + ", predicted", Kind::modelled, batch_axis, time_axis};
  Series shares = {"model_share_" + way.id + "_predicted", way.label + ", predicted", Kind::modelled, batch_axis,
                   share_axis};
  for (std::size_t batch : model_batches(lab)) {
    const double seconds = predicted_seconds(runs, sampling, way, batch);
    times.points.emplace_back(as_double(batch), seconds * 1e6);
    shares.points.emplace_back(as_double(batch), sampling.of(hollow).median / seconds);
  }
  lab.add(std::move(times));
  lab.add(std::move(shares));
}

/// How far the compiled model is from its prediction.
void add_prediction_error(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  std::vector<double> errors;
  for (std::size_t batch : model_batches(lab)) {
    const double measured = sampling.of("compiled model " + std::to_string(batch)).median;
    errors.push_back(std::abs(measured / predicted_seconds(runs, sampling, ways[1], batch) - 1));
  }
  lab.derived("model_prediction_error_median", estimate(errors).median);
}

/// How much longer one way takes than another.
void add_ratios(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  lab.add(Value("model_hollow_speedup", sampling.ratio("eager model hollow", "compiled model hollow"), "1"));
  for (const char* number : {"1", "256"}) {
    const std::string model = std::string("model ") + number;
    const std::string eager = "torch eager " + model, compiled = "torch compiled " + model;
    const auto best = runs.race().best(model);
    if (!runs.race().is_there(eager) || !best) continue;
    const std::string id = std::string("model_torch_best_over_eager_") + number;
    lab.add(Value(id, sampling.ratio(compiled, eager), "1", best->settings));
  }
}

/// On a machine with a GPU, and PyTorch: three kernels or one.
void measure_exercises(Lab& lab) {
  if (lab.machine().gpus.empty()) return;
  constexpr std::size_t side = 4096;
  constexpr double patience = 120;
  try {
    const Exercises exercises = run_exercises("cuda", side, lab.quick() ? 11 : 31, patience);
    const double once_bytes = 2 * as_double(side * side * sizeof(float));  // read, and written
    const auto in_gbs = [](double bytes) { return [bytes](double ms) { return bytes / ms * 1e-6; }; };
    lab.add(Value("exercise_unfused_ms", exercises.unfused_ms, "ms"));
    lab.add(Value("exercise_fused_ms", exercises.fused_ms, "ms"));
    lab.add(Value("exercise_unfused_gbs", transform(exercises.unfused_ms, in_gbs(3 * once_bytes)), "GB/s"));
    lab.add(Value("exercise_fused_gbs", transform(exercises.fused_ms, in_gbs(once_bytes)), "GB/s"));
    lab.add(Value("exercise_speedup", ratio(exercises.unfused_ms.samples, exercises.fused_ms.samples), "1"));
    lab.derived("exercise_unfused_kernels", exercises.unfused_kernels);
    lab.derived("exercise_fused_kernels", exercises.fused_kernels);
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
  add_overheads(lab, runs, sampling);
  for (const Way& way : ways) add_model(lab, runs, sampling, way);
  add_prediction(lab, runs, sampling, ways[1]);
  add_prediction(lab, runs, sampling, ways[2]);
  add_prediction_error(lab, runs, sampling);
  add_ratios(lab, runs, sampling);
  measure_exercises(lab);
}

}  // namespace hf::compilers
