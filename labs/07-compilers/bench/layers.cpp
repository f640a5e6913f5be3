// From model(x) to instructions: the cost of each translation.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "07-compilers/kernels/layers/translation.hpp"
#include "07-compilers/kernels/models/graphs.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/shared_array.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/verify.hpp"

namespace hf::compilers {
namespace {

const Axis batch_axis = {"batch", "1"}, time_axis = {"time", "us"}, step_axis = {"step", "1"};

constexpr double torch_bound = 1e-5;  // for the distance between its result and ours

Estimate in_us(const Estimate& seconds) { return times(seconds, 1e6); }

// ---- From a graph to machine code ----

/// Translates one graph, relu(x) · 0.5 + 1, to machine code, and adds its size and time at each level.
void measure_translation(Lab& lab) {
  const Graph graph = chain_graph({4096, 4096});
  const Translation translation = translate(graph);
  const AssemblyFunction& loop = translation.first_loop;
  const auto count = [&](const char* id, std::size_t number) { lab.derived(id, as_double(number)); };
  count("translation_operators", translation.operators);
  count("translation_loops", translation.loops);
  count("translation_lines", translation.lines);
  count("translation_instructions", loop.instructions.size());
  count("translation_loop_instructions", loop.loop_count);
  Plan plan = lab.plan(4);
  plan.warm_seconds = 0;
  const FusionPlan one_loop = plan_for_one_loop(graph);
  const Sampling sampling = sample_interleaved({timed("plan", [&] { keep(plan_for_one_loop(graph).bands.size()); }),
                                                timed("emit", [&] { keep(emit(one_loop).size()); })},
                                               plan);
  lab.add(Value("translation_plan_us", in_us(sampling.of("plan")), "us"));
  lab.add(Value("translation_emit_us", in_us(sampling.of("emit")), "us"));
}

// ---- From a call to its arithmetic ----

/// A graph with random inputs, to run operator by operator and compiled.
struct ModelCall {
  /// Runs it both ways. \throws std::runtime_error with one line if a result is wrong
  ModelCall(const std::string& name, const Graph& graph)
      : result(graph.result_shape().numbers()), eager(graph), compiled(graph) {
    for (const Node& node : graph.nodes()) {
      if (node.op != Op::input) continue;
      // Weights are scaled so that a layer's outputs are about as large as its inputs.
      const float spread = inputs.empty() ? 1.0f : 0.05f;
      inputs.push_back(random_floats(node.shape.numbers(), 701 + inputs.size(), spread));
      pointers.push_back(inputs.back().data());
    }
    const std::vector<Rounded> references = rounded_reference(graph, pointers);
    run_eager();
    verify(worst_error_share(result, references), name + ", eager");
    run_compiled();
    verify(worst_error_share(result, references), name + ", compiled");
  }

  void run_eager() { eager.run(pointers, result.data()); }
  void run_compiled() { compiled.run(pointers, result.data()); }

  std::vector<std::vector<float>> inputs;
  std::vector<const float*> pointers;
  std::vector<float> result;
  Eager eager;
  Compiled compiled;
};

/// Enters a linear_graph() as torch.nn.Linear, eager and compiled with these settings.
void enter_as_linear(TorchRace& race, const std::string& name, const ModelCall& call,
                     const std::vector<std::string>& settings) {
  const auto [batch, width] = call.eager.graph().nodes()[0].shape;
  const std::string sides = std::to_string(width) + ", " + std::to_string(width);
  const std::string source = "linear = torch.nn.Linear(" + sides + R"()
def prepare(x, weight, bias):
    linear.weight.data, linear.bias.data = weight.t().contiguous(), bias
def graph(x, weight, bias):
    return linear(x)
)";
  race.enter(name, TorchProgram{source, {{batch, width}, {width, width}, {width}}}, call.pointers, call.result,
             torch_bound, {.settings = settings});
}

/// Enters the steps of PyTorch from a call in Python to an operator's first instruction. Each step is a program that
/// includes the previous ones: "python" (calls a function that does nothing), "dispatcher" (an operator that compares
/// the sizes of two tensors), "operator" (a Linear of one number), "module" (the same through torch.nn).
void enter_steps_of_a_call(TorchRace& race) {
  static const float x = 2, weight = 3, bias = 1;
  const std::vector<const float*> tensors = {&x, &weight, &bias};
  const auto enter = [&](const char* name, const std::string& before, const char* body, float result) {
    const std::string source = before + "def graph(x, weight, bias):\n    " + body;
    race.enter(name, TorchProgram{source, {{1, 1}, {1, 1}, {1}}}, tensors, {&result, 1}, 1e-6,
               {.modes = {TorchMode::eager}});
  };
  const float linear = x * weight + bias;
  enter("python", "", "return x\n", x);
  enter("dispatcher", "", "torch.is_same_size(x, weight)\n    return x\n", x);
  enter("operator", "", "return F.linear(x, weight, bias)\n", linear);
  enter("module", R"(
linear = torch.nn.Linear(1, 1)
linear.weight.data.fill_(3)
linear.bias.data.fill_(1)
)",
        "return linear(x)\n", linear);
}

/// Runs an empty loop on all cores.
void launch() {
  const auto nothing = [](std::size_t first, std::size_t last) {
    keep(last - first);  // the number of iterations
  };
  share(sharing_cores(), worth_sharing, nothing, 1);
}

void run_one_operator() {
  static const Node node = {.op = Op::relu, .operands = {Ref{0}}, .shape = {1, 1}};
  static const float one = 1;
  const Operand operand = {&one, {1, 1}};
  float result = 0;
  run_operator(node, {&operand, 1}, &result);
  keep(result);
}

constexpr std::size_t seen_batch = 32;  // of the linear layer whose steps the page shows

const std::string linear = "linear " + std::to_string(seen_batch);

std::string model_of(std::size_t batch) { return "model " + std::to_string(batch); }

/// Runs a linear layer in every way, and models with batches from one row to many, compiled and in eager PyTorch.
class CallRuns {
 public:
  /// \throws std::runtime_error with one line if a result is wrong
  /// \throws OutOfMemory
  CallRuns(Lab& lab, const std::vector<std::size_t>& model_batches)
      : race_(lab), peak_(peak_variant(Precision::fp32, team_)), weights_(team_, digits.weights() * sizeof(float)) {
    // The settings of torch.compile that can matter for a product, and for a call with almost nothing to compute.
    const std::vector<std::string> for_products = {"default", "max_autotune"}, for_calls = {"default", "cpp_wrapper"};
    const auto call = [&](const std::string& name, const Graph& graph) -> const ModelCall& {
      lab.tick();
      return calls_.try_emplace(name, name, graph).first->second;
    };
    const auto enter_model = [&](const std::string& name, const Graph& graph) {
      const ModelCall& model = call(name, graph);
      race_.enter(name, graph, model.pointers, model.result, torch_bound, {.modes = {TorchMode::eager}});
    };
    enter_as_linear(race_, linear, call(linear, linear_graph(seen_batch, linear_width)), for_products);
    for (const std::size_t batch : model_batches) enter_model(model_of(batch), perceptron_graph(batch, digits));
    enter_as_linear(race_, "linear hollow", call("linear hollow", linear_graph(1, 1)), for_calls);
    enter_model("model hollow", perceptron_graph(1, hollow));
    enter_steps_of_a_call(race_);
    const auto runs_eagerly = [](const auto& each) { return !each.second.compiled.is_compiled(); };
    const auto first = std::ranges::find_if(calls_, runs_eagerly);
    if (first != calls_.end()) lab.incomplete("calls: " + first->second.compiled.remark());
  }

  /// Samples seconds of "eager linear 32", "compiled model 1", "torch eager model hollow", …; of "peak" and "read", the
  /// peak of arithmetic and the reading of a model's weights; and of the steps of our calls: "operator", "launch", and
  /// the hollow linear layer followed by a launch, "eager launched" and "compiled launched".
  Sampling sample(const Plan& plan) {
    ModelCall* const hollow_linear = &calls_.at("linear hollow");
    std::vector<Variant> variants = {
        peak_.variant,
        timed("read", team_, [this](int thread) { read_words(weights_.part(thread)); }),
        timed("operator", [] { run_one_operator(); }),
        timed("launch", [] { launch(); }),
        timed("eager launched", [=] { hollow_linear->run_eager(), launch(); }),
        timed("compiled launched", [=] { hollow_linear->run_compiled(), launch(); }),
    };
    for (auto& [name, call] : calls_) {
      variants.push_back(timed("compiled " + name, [&call = call] { call.run_compiled(); }));
      if (name.starts_with("linear")) variants.push_back(timed("eager " + name, [&call = call] { call.run_eager(); }));
    }
    for (Variant& variant : race_.variants()) variants.push_back(std::move(variant));
    return sample_interleaved(variants, plan);
  }

  /// True if a variant was sampled; ours always are.
  bool is_there(const std::string& variant) const { return !variant.starts_with("torch") || race_.is_there(variant); }

  /// Predicts a whole call from its parts: the time of calling, plus its arithmetic at the roofline.
  double predicted_compiled(const Sampling& sampling, std::size_t batch) const {
    const std::size_t loops = calls_.at(model_of(1)).compiled.loops();
    return sampling.of("compiled model hollow").median + as_double(loops) * sampling.of("launch").median +
           arithmetic_seconds(sampling, batch);
  }
  double predicted_torch(const Sampling& sampling, std::size_t batch) const {
    return sampling.of("torch eager model hollow").median + arithmetic_seconds(sampling, batch);
  }

 private:
  /// Seconds of a model's arithmetic at peak, or of reading its weights, whichever is longer.
  double arithmetic_seconds(const Sampling& sampling, std::size_t batch) const {
    const double flops = 2 * as_double(batch * digits.weights());
    return std::max(flops / peak_.flops * sampling.of("peak").median, sampling.of("read").median);
  }

  TorchRace race_;
  Team team_;
  PeakVariant peak_;
  SharedArray weights_;
  std::map<std::string, ModelCall> calls_;
};

/// Adds the steps of Linear(768, 768), from model(x) to its arithmetic. Each point is the time from the call to the end
/// of a step.
void add_linear_steps(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  using Steps = std::vector<std::pair<std::string, std::string>>;  // the step's name, and the variant that ends with it
  const auto add = [&](const char* id, const char* label, const Steps& steps) {
    Series series = {id, label, Kind::measured, step_axis, time_axis};
    for (const auto& [step, variant] : steps) {
      if (!runs.is_there(variant)) return;
      series.points.emplace_back(as_double(series.points.size()), in_us(sampling.of(variant)), step);
    }
    lab.add(std::move(series));
  };
  add("steps_eager", "ours, eager",
      {{"operator", "operator"},
       {"graph", "eager linear hollow"},
       {"threads", "eager launched"},
       {"arithmetic", "eager " + linear}});
  add("steps_compiled", "ours, compiled",
      {{"loops", "compiled linear hollow"}, {"threads", "compiled launched"}, {"arithmetic", "compiled " + linear}});
  add("steps_torch_eager", "PyTorch, eager",
      {{"Python", "torch eager python"},
       {"dispatcher", "torch eager dispatcher"},
       {"operator", "torch eager operator"},
       {"module", "torch eager module"},
       {"arithmetic", "torch eager " + linear}});
  add("steps_torch_best", "PyTorch, compiled",
      {{"Python", "torch eager python"},
       {"guards, call", "torch compiled linear hollow"},
       {"arithmetic", "torch compiled " + linear}});
}

/// Adds the times of calls with one number's work.
void add_calls(Lab& lab, const CallRuns& runs, const Sampling& sampling) {
  const auto add = [&](const char* id, const char* variant) {
    if (runs.is_there(variant)) lab.add(Value(id, times(sampling.of(variant), 1e9), "ns"));
  };
  add("call_eager_ns", "eager linear hollow");
  add("call_torch_eager_ns", "torch eager linear hollow");
  add("call_torch_best_ns", "torch compiled linear hollow");
}

/// Adds measured and predicted times of the whole model over the batch; for PyTorch, also the two times that give the
/// share of calling for one row.
void add_models(Lab& lab, const CallRuns& runs, const Sampling& sampling, const std::vector<std::size_t>& batches) {
  const auto add = [&](const std::string& id, const std::string& label, const std::string& way,
                       double (CallRuns::*predict)(const Sampling&, std::size_t) const) {
    Series measured = {id, label, Kind::measured, batch_axis, time_axis};
    Series predicted = {id + "_predicted", label + ", predicted", Kind::modelled, batch_axis, time_axis};
    for (const std::size_t batch : batches) {
      measured.points.emplace_back(as_double(batch), in_us(sampling.of(way + model_of(batch))));
      predicted.points.emplace_back(as_double(batch), (runs.*predict)(sampling, batch) * 1e6);
    }
    for (Series* series : {&measured, &predicted}) lab.add(std::move(*series));
  };
  add("model_compiled", "ours, compiled", "compiled ", &CallRuns::predicted_compiled);
  const std::string hollow_model = "torch eager model hollow";
  const auto is_there = [&](std::size_t batch) { return runs.is_there("torch eager " + model_of(batch)); };
  if (!runs.is_there(hollow_model) || !std::ranges::all_of(batches, is_there)) return;
  add("model_torch_eager", "PyTorch, eager", "torch eager ", &CallRuns::predicted_torch);
  lab.add(Value("model_torch_eager_hollow_us", in_us(sampling.of(hollow_model)), "us"));
  lab.add(Value("model_torch_eager_1_us", in_us(sampling.of("torch eager " + model_of(1))), "us"));
}

}  // namespace

void measure_layers(Lab& lab) {
  try {
    measure_translation(lab);
  } catch (const BuildError& error) {
    lab.incomplete(std::string("the stages of translation were not measured: ") + error.what());
  }
  std::vector<std::size_t> batches;
  for (std::size_t batch = 1; batch <= 256; batch *= lab.quick() ? 16 : 4) batches.push_back(batch);
  CallRuns runs(lab, batches);
  Plan plan = lab.plan(2);
  plan.sample_seconds = 2e-3;
  plan.warm_seconds = 3e-3;  // an idle core needs a few milliseconds to join loops
  const Sampling sampling = runs.sample(plan);
  add_linear_steps(lab, runs, sampling);
  add_calls(lab, runs, sampling);
  add_models(lab, runs, sampling, batches);
}

}  // namespace hf::compilers
