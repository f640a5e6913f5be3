// From model(x) to instructions: what each translation costs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/exercises_py.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/fusion/fusion_graphs.hpp"
#include "07-compilers/kernels/layers/model_graphs.hpp"
#include "07-compilers/kernels/layers/translation.hpp"
#include "07-compilers/kernels/pytorch/torch_peer.hpp"
#include "common/loop_team.hpp"
#include "common/random.hpp"
#include "common/rounded.hpp"
#include "common/verify.hpp"
#include "harness/as_double.hpp"
#include "harness/command.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/peaks.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/threads.hpp"

namespace hf::compilers {
namespace {

/// Those of torch.compile's settings that can matter for a product, and for a call that has next to nothing to compute.
const std::vector<std::string> for_products = {"default", "max_autotune"}, for_calls = {"default", "cpp_wrapper"};

constexpr double torch_bound = 1e-5;  // of the distance from its result to ours

/// So that a weight times an activation, summed up, is about as large as the activation.
std::vector<std::vector<float>> random_inputs(const Graph& graph) {
  std::vector<std::vector<float>> inputs;
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::input) continue;
    inputs.emplace_back(node.shape.numbers());
    fill_random(inputs.back(), 700 + inputs.size(), inputs.size() == 1 ? 1.0f : 0.05f);
  }
  return inputs;
}

std::vector<const float*> pointers_to(const std::vector<std::vector<float>>& arrays) {
  std::vector<const float*> pointers;
  for (const std::vector<float>& array : arrays) pointers.push_back(array.data());
  return pointers;
}

/// A graph with random inputs, to be run one operator at a time and compiled.
class ModelCall {
 public:
  /// Runs it both ways. \throws std::runtime_error, one line, where a result is wrong
  ModelCall(std::string name, const Graph& graph)
      : name_(std::move(name)),
        inputs_(random_inputs(graph)),
        pointers_(pointers_to(inputs_)),
        result_(graph.result_shape().numbers()),
        eager_(graph),
        compiled_(graph) {
    const std::vector<Rounded> references = rounded_reference(graph, pointers_);
    run_eager();
    verify(worst_error_share(result_, references), name_ + ", eager");
    run_compiled();
    verify(worst_error_share(result_, references), name_ + ", compiled");
  }

  const std::string& name() const { return name_; }
  const Graph& graph() const { return eager_.graph(); }
  std::size_t loops() const { return compiled_.loops(); }
  bool is_compiled() const { return compiled_.is_compiled(); }
  const std::string& remark() const { return compiled_.remark(); }

  void run_eager() { eager_.run(pointers_, result_.data()); }
  void run_compiled() { compiled_.run(pointers_, result_.data()); }

  // "eager NAME", "compiled NAME", on all cores. This must outlive them.
  Variant eager() {
    return timed("eager " + name_, [this] { run_eager(); });
  }
  Variant compiled() {
    return timed("compiled " + name_, [this] { run_compiled(); });
  }

  /// Enters the same graph into a race with PyTorch, eager.
  void enter(TorchRace& race) const {
    race.enter(name_, graph(), pointers_, result_, torch_bound, {.modes = {TorchMode::eager}});
  }

  /// Enters it as torch.nn.Linear, eager and compiled with these settings. \pre it is a linear_graph()
  void enter_as_linear(TorchRace& race, const std::vector<std::string>& settings) const {
    const std::size_t batch = graph().nodes()[0].shape.rows, width = graph().nodes()[0].shape.columns;
    const std::string sides = std::to_string(width) + ", " + std::to_string(width);
    const std::string source = "linear = torch.nn.Linear(" + sides + R"()
def prepare(x, weight, bias):
    linear.weight.data, linear.bias.data = weight.t().contiguous(), bias
def graph(x, weight, bias):
    return linear(x)
)";
    race.enter(name_, TorchProgram{source, {{batch, width}, {width, width}, {width}}}, pointers_, result_, torch_bound,
               {.settings = settings});
  }

 private:
  std::string name_;
  std::vector<std::vector<float>> inputs_;
  std::vector<const float*> pointers_;
  std::vector<float> result_;
  Eager eager_;
  Compiled compiled_;
};

/// PyTorch's way from a call in Python to an operator's first instruction, one program for each step, each of which does
/// all that those before it do: "python" (calls a function that does nothing), "dispatcher" (an operator that looks at
/// two tensors and says whether their sizes are the same), "operator" (a Linear of one number), "module" (the same
/// through torch.nn).
void enter_steps_of_a_call(TorchRace& race) {
  static const float x = 2, weight = 3, bias = 1;
  const std::vector<const float*> tensors = {&x, &weight, &bias};
  const std::vector<std::vector<std::size_t>> sizes = {{1, 1}, {1, 1}, {1}};
  const TorchEntry eager = {.modes = {TorchMode::eager}};
  const auto enter = [&](const std::string& name, const std::string& source, float result) {
    race.enter(name, TorchProgram{source, sizes}, tensors, {&result, 1}, 1e-6, eager);
  };
  enter("python", R"(
def graph(x, weight, bias):
    return x
)",
        x);
  enter("dispatcher", R"(
def graph(x, weight, bias):
    torch.is_same_size(x, weight)
    return x
)",
        x);
  enter("operator", R"(
def graph(x, weight, bias):
    return F.linear(x, weight, bias)
)",
        x * weight + bias);
  enter("module", R"(
linear = torch.nn.Linear(1, 1)
linear.weight.data.fill_(3)
linear.bias.data.fill_(1)
def graph(x, weight, bias):
    return linear(x)
)",
        x * weight + bias);
}

/// A linear layer in every way there is, and models from one row at a time to many, compiled, and in PyTorch eager.
class CallRuns {
 public:
  /// \throws std::runtime_error, one line, where a result is wrong
  /// \throws OutOfMemory
  CallRuns(Lab& lab, std::size_t linear_batch, const std::vector<std::size_t>& model_batches)
      : race_(lab), peak_(peak_variant(Precision::fp32, team_)), weights_(team_, digits.weights() * sizeof(float)) {
    bool complete = true;
    const auto call = [&lab, &complete](const std::string& name, const Graph& graph) {
      lab.tick();
      auto made = std::make_unique<ModelCall>(name, graph);
      if (complete && !made->is_compiled()) lab.incomplete("calls: " + made->remark());
      complete = complete && made->is_compiled();
      return made;
    };
    linear_ = call("linear " + std::to_string(linear_batch), linear_graph(linear_batch, linear_width));
    linear_->enter_as_linear(race_, for_products);
    for (std::size_t batch : model_batches) {
      models_.push_back(call("model " + std::to_string(batch), perceptron_graph(batch, digits)));
      models_.back()->enter(race_);
    }
    hollow_linear_ = call("linear hollow", linear_graph(1, 1));
    hollow_linear_->enter_as_linear(race_, for_calls);
    hollow_model_ = call("model hollow", perceptron_graph(1, hollow));
    hollow_model_->enter(race_);
    enter_steps_of_a_call(race_);
  }

  /// Seconds of "eager linear 32", "compiled model 1", "torch eager model hollow", …; of "peak" and "read", the arithmetic and
  /// the weights of a model by themselves; and of our own steps of a call: "operator" (of one number, called at once),
  /// "eager launched" and "compiled launched" (the hollow linear layer, and a loop on all cores that does nothing).
  Sampling sample(const Plan& plan) {
    std::vector<Variant> variants = steps_of_a_call();
    const auto add = [&variants](std::vector<Variant> more) {
      for (Variant& variant : more) variants.push_back(std::move(variant));
    };
    for (ModelCall* call : {linear_.get(), hollow_linear_.get(), hollow_model_.get()}) {
      add({call->eager(), call->compiled()});
    }
    for (const auto& model : models_) variants.push_back(model->compiled());
    add(race_.variants());
    add({peak_.variant, timed("read", team_, [this](int thread) { read_words(weights_.part(thread)); })});
    return sample_interleaved(variants, plan);
  }

  const TorchRace& race() const { return race_; }
  const ModelCall& model() const { return *models_.front(); }

  /// Seconds of a model's arithmetic at the peak, or of reading its weights, whichever is longer.
  double arithmetic_seconds(const Sampling& sampling, std::size_t batch) const {
    const double flops = 2 * as_double(batch * digits.weights());
    return std::max(flops / peak_.flops * sampling.of("peak").median, sampling.of("read").median);
  }

 private:
  std::vector<Variant> steps_of_a_call() {
    const auto launch = [] {
      const auto nothing = [](std::size_t first, std::size_t last) {
        keep(last - first);  // of the loop's iterations
      };
      share(sharing_cores(), worth_sharing, nothing, 1);
    };
    const auto operation = [] {
      static const Node node = {.op = Op::relu, .operands = {Ref{0}}, .shape = {1, 1}};
      static const float one = 1;
      const Operand operand = {&one, {1, 1}};
      float result = 0;
      run_operator(node, {&operand, 1}, &result);
      keep(result);
    };
    ModelCall* const hollow = hollow_linear_.get();
    const auto eager = [=] { hollow->run_eager(), launch(); };
    const auto compiled = [=] { hollow->run_compiled(), launch(); };
    return {timed("operator", operation), timed("launch", launch), timed("eager launched", eager),
            timed("compiled launched", compiled)};
  }

  TorchRace race_;
  Team team_;
  PeakVariant peak_;
  SharedArray weights_;
  std::unique_ptr<ModelCall> hollow_linear_, hollow_model_;
  std::unique_ptr<ModelCall> linear_;
  std::vector<std::unique_ptr<ModelCall>> models_;
};

const Axis batch_axis = {"batch", "1"}, time_axis = {"time", "us"}, step_axis = {"step", "1"};

constexpr std::size_t seen_batch = 32;  // of the linear layer whose steps are shown

Estimate in_us(const Estimate& seconds) { return times(seconds, 1e6); }

std::vector<std::size_t> model_batches(const Lab& lab) {
  return lab.quick() ? std::vector<std::size_t>{1, 16, 256} : std::vector<std::size_t>{1, 4, 16, 64, 256};
}

void add_sizes(Lab& lab, const Translation& translation) {
  const AssemblyFunction loop = translation.first_loop();
  const auto count = [&](const char* id, std::size_t number) { lab.derived(id, as_double(number)); };
  count("translation_operators", translation.operators());
  count("translation_loops", translation.loops());
  count("translation_lines", translation.lines());
  count("translation_program_lines", translation.program_lines());
  count("translation_instructions", loop.instructions.size());
  count("translation_loop_instructions", loop.loop_count);
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
  lab.add(Value("translation_plan_us", in_us(sampling.of("plan")), "us"));
  lab.add(Value("translation_emit_us", in_us(sampling.of("emit")), "us"));
}

/// What a step of a call adds to those before it.
struct CallStep {
  std::string label, variant;
};

/// Each point is the time from the call to the end of a step.
void add_steps(Lab& lab, const CallRuns& runs, const Sampling& sampling, const std::string& id,
               const std::string& label, const std::vector<CallStep>& steps) {
  Series series = {id, label, Kind::measured, step_axis, time_axis};
  for (const CallStep& step : steps) {
    if (step.variant.starts_with("torch") && !runs.race().is_there(step.variant)) return;
    series.points.emplace_back(as_double(series.points.size()), in_us(sampling.of(step.variant)), step.label);
  }
  lab.add(std::move(series));
}

/// Linear(768, 768): from model(x) to its arithmetic.
void add_linear_steps(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  const std::string whole = "linear " + std::to_string(seen_batch);
  add_steps(lab, runs, sampling, "steps_eager", "ours, eager",
            {{"operator", "operator"},
             {"graph", "eager linear hollow"},
             {"threads", "eager launched"},
             {"arithmetic", "eager " + whole}});
  add_steps(
      lab, runs, sampling, "steps_compiled", "ours, compiled",
      {{"loops", "compiled linear hollow"}, {"threads", "compiled launched"}, {"arithmetic", "compiled " + whole}});
  add_steps(lab, runs, sampling, "steps_torch_eager", "PyTorch, eager",
            {{"Python", "torch eager python"},
             {"dispatcher", "torch eager dispatcher"},
             {"operator", "torch eager operator"},
             {"module", "torch eager module"},
             {"arithmetic", "torch eager " + whole}});
  add_steps(lab, runs, sampling, "steps_torch_best", "PyTorch, compiled",
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
  const auto add = [&](const char* id, const char* predicted_id, const std::string& label, const std::string& variant,
                       const auto& predicted_seconds) {
    Series measured = {id, label, Kind::measured, batch_axis, time_axis};
    Series predicted = {predicted_id, label + ", predicted", Kind::modelled, batch_axis, time_axis};
    for (std::size_t batch : batches) {
      measured.points.emplace_back(as_double(batch), in_us(sampling.of(variant + std::to_string(batch))));
      predicted.points.emplace_back(as_double(batch), predicted_seconds(runs, sampling, batch) * 1e6);
    }
    lab.add(std::move(measured));
    lab.add(std::move(predicted));
  };
  add("model_compiled", "model_compiled_predicted", "ours, compiled", "compiled model ", compiled_seconds);
  const std::string hollow = "torch eager model hollow", model = "torch eager model ";
  const auto is_there = [&](std::size_t batch) { return runs.race().is_there(model + std::to_string(batch)); };
  if (!runs.race().is_there(hollow) || !std::ranges::all_of(batches, is_there)) return;
  add("model_torch_eager", "model_torch_eager_predicted", "PyTorch, eager", model, torch_seconds);
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

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Exercises run_exercises(const std::string& device, std::size_t side, int samples, double seconds) {
  const CommandResult result =
      run_command({"python3", "-c", exercises_py, device, std::to_string(side), std::to_string(samples)}, seconds);
  const std::string line = last_line(result.text), name = "PyTorch's exercises: ";
  switch (result.end) {
    case CommandResult::End::not_started: throw ExercisesFailed(name + "python3 cannot be started");
    case CommandResult::End::out_of_time: throw ExercisesFailed(name + "stopped, for they took too long");
    case CommandResult::End::failed: throw ExercisesFailed(name + line);
    case CommandResult::End::done: break;
  }
  try {
    const nlohmann::json said = nlohmann::json::parse(line);
    const auto estimate_of = [&](const char* which) {
      return estimate(said.at("milliseconds").at(which).get<std::vector<double>>());
    };
    const auto kernels_of = [&](const char* which) { return said.at("kernels").at(which).get<double>(); };
    return {said.at("device").get<std::string>(), estimate_of("unfused"), estimate_of("fused"), kernels_of("unfused"),
            kernels_of("fused")};
  } catch (const std::exception& error) {
    throw ExercisesFailed(name + "said '" + line.substr(0, 100) + "'");
  }
}

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
