#include "07-compilers/bench/call_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/eager_operators.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/layers/model_graphs.hpp"
#include "07-compilers/kernels/pytorch/torch_program.hpp"
#include "common/loop_team.hpp"
#include "common/random.hpp"
#include "common/rounded.hpp"
#include "common/verify.hpp"
#include "harness/as_double.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/peaks.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"

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

}  // namespace

ModelCall::ModelCall(std::string name, const Graph& graph)
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

Variant ModelCall::eager() {
  return timed("eager " + name_, [this] { run_eager(); });
}

Variant ModelCall::compiled() {
  return timed("compiled " + name_, [this] { run_compiled(); });
}

void ModelCall::enter(TorchRace& race) const {
  race.enter(name_, graph(), pointers_, result_, torch_bound, {.modes = {TorchMode::eager}});
}

void ModelCall::enter_as_linear(TorchRace& race, const std::vector<std::string>& settings) const {
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

std::vector<Variant> CallRuns::steps_of_a_call() {
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

CallRuns::CallRuns(Lab& lab, std::size_t linear_batch, const std::vector<std::size_t>& model_batches)
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

Sampling CallRuns::sample(const Plan& plan) {
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

double CallRuns::arithmetic_seconds(const Sampling& sampling, std::size_t batch) const {
  const double flops = 2 * as_double(batch * digits.weights());
  return std::max(flops / peak_.flops * sampling.of("peak").median, sampling.of("read").median);
}

}  // namespace hf::compilers
