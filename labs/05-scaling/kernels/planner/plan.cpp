// plan: how long a step of a transformer's training takes on many chips, and which plan is fastest.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/memory_use.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/plan_report.hpp"
#include "05-scaling/kernels/planner/plan_search.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace {

using namespace hf::scaling;

struct Options {
  std::string model = "gpt3-175b", chip = "h100", recompute = "none", sharding = "optimizer";
  int chips = 0;
  double batch = 0;
  ParallelPlan plan;
  double kv_heads = 0, head_size = 0, ffn = 0, vocabulary = 0, experts = 0, active = 0;  // 0: the model's own
  bool gated = false, untied = false;
  bool runs = false, plan_given = false;
};

const std::map<std::string, Recompute> recomputes = {
    {"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}};
const std::map<std::string, Sharding> shardings = {
    {"none", Sharding::none}, {"optimizer", Sharding::optimizer}, {"full", Sharding::full}};

void add_options(CLI::App& app, Options& options) {
  ParallelPlan& plan = options.plan;
  plan.overlap_tensor = true;
  const auto size = CLI::Range(1, 1 << 24);
  app.add_option("--model", options.model, "a name, or LAYERS/HIDDEN/HEADS of a GPT")->capture_default_str();
  app.add_option("--chip", options.chip, "a name; an unknown one lists them")->capture_default_str();
  app.add_option("--chips", options.chips, "how many")->check(size);
  app.add_option("--batch", options.batch, "sequences of a step, over all chips")->check(size);
  app.add_option("--sequence", plan.sequence, "tokens of a sequence")->check(size)->capture_default_str();
  app.add_flag("--fp8", plan.fp8, "the layers' products multiply 8-bit numbers");
  app.add_option("--gradient-bytes", plan.gradient_bytes, "of a gradient that is summed over chips")
      ->check(CLI::IsMember({2, 4}))
      ->capture_default_str();
  app.add_flag("--runs", options.runs, "print predicted against published, for every run that is known");

  const std::string sizes = "The model's sizes (those that --model has, unless given)";
  const auto own = [&](const char* name, double& number, const char* text) {
    app.add_option(name, number, text)->check(size)->group(sizes);
  };
  own("--kv-heads", options.kv_heads, "heads of keys and values");
  own("--head-size", options.head_size, "width of a head");
  own("--ffn", options.ffn, "width of the perceptron, or of one expert");
  own("--vocabulary", options.vocabulary, "tokens that there are");
  own("--experts", options.experts, "perceptrons that each layer has to choose from");
  own("--active", options.active, "those that a token goes through");
  app.add_flag("--gated", options.gated, "the perceptron has a third matrix")->group(sizes);
  app.add_flag("--untied", options.untied, "the last layer has a matrix of its own")->group(sizes);

  const std::string group = "A plan (without one of these, plans are searched)";
  const auto cut = [&](const char* name, int& ways, const char* text) {
    app.add_option(name, ways, text)->check(size)->group(group);
  };
  cut("--tensor", plan.tensor, "chips that share each layer");
  cut("--context", plan.context, "chips that share each sequence");
  cut("--expert", plan.experts, "chips, of those that hold the same layers, that share out the experts");
  cut("--pipeline", plan.pipeline, "stages");
  cut("--interleave", plan.interleave, "pieces of a stage");
  cut("--pods", plan.pods, "slices with replicas, joined by the network alone");
  app.add_option("--micro-batch", plan.micro_batch, "sequences at a time")->check(size)->group(group);
  app.add_option("--recompute", options.recompute, "what is computed again")
      ->check(CLI::IsMember({"none", "selective", "full"}))
      ->group(group);
  app.add_option("--sharding", options.sharding, "what replicas share")
      ->check(CLI::IsMember({"none", "optimizer", "full"}))
      ->group(group);
  app.add_flag("!--no-overlap", plan.overlap_tensor, "nothing travels beside arithmetic")->group(group);
  app.add_flag("!--unfused-attention", plan.flash, "attention writes its scores to memory")->group(group);
}

/// A known name, or three sizes.
TransformerShape shape_of(const std::string& name) {
  int layers = 0, hidden = 0, heads = 0, length = 0;
  if (std::sscanf(name.c_str(), "%6d/%7d/%5d%n", &layers, &hidden, &heads, &length) != 3 ||
      length != static_cast<int>(name.size()))
    return model(name);
  if (layers < 1 || heads < 1 || hidden < 1 || hidden % heads != 0)
    throw std::runtime_error("--model " + name + ": give three positive sizes, the third a divisor of the second");
  return gpt(name, layers, hidden, heads);
}

/// The model with the sizes that were given instead of its own.
TransformerShape shape_of(const Options& options) {
  TransformerShape shape = shape_of(options.model);
  const auto take = [](double& size, double given) { size = given > 0 ? given : size; };
  take(shape.kv_heads, options.kv_heads);
  take(shape.head_size, options.head_size);
  take(shape.ffn, options.ffn);
  take(shape.vocabulary, options.vocabulary);
  take(shape.experts, options.experts);
  take(shape.active, options.active);
  shape.gated = shape.gated || options.gated, shape.tied = shape.tied && !options.untied;
  const auto text = [](double size) { return std::to_string(static_cast<int>(size)); };
  if (std::fmod(shape.heads, shape.kv_heads) != 0)
    throw std::runtime_error("--kv-heads " + text(shape.kv_heads) + ": does not divide the model's heads, " +
                             text(shape.heads));
  if (shape.active > shape.experts)
    throw std::runtime_error("--active " + text(shape.active) + ": at most the experts there are, " +
                             text(shape.experts));
  return shape;
}

Job job_of(const Options& options) {
  if (options.chips == 0) throw std::runtime_error("--chips: is missing; say how many chips there are, or --runs");
  if (options.batch == 0) throw std::runtime_error("--batch: is missing; say how many sequences a step has");
  const ParallelPlan& plan = options.plan;
  const Job job = {chip(options.chip), shape_of(options), options.chips,      options.batch,
                   plan.sequence,      plan.fp8,          plan.gradient_bytes};
  if (job.fp8 && job.chip.matmul8 == 0)
    throw std::runtime_error("--fp8: nobody measured such products on --chip " + job.chip.name +
                             "; leave it away or choose another chip");
  return job;
}

void report_plan(const Job& job, const Options& options) {
  ParallelPlan plan = options.plan;
  plan.recompute = recomputes.at(options.recompute);
  plan.sharding = shardings.at(options.sharding);
  const double others = static_cast<double>(plan.tensor) * plan.context * plan.pipeline * plan.pods;
  if (std::fmod(job.chips, others) != 0)
    throw std::runtime_error("--chips " + std::to_string(job.chips) +
                             ": is not a multiple of --tensor x --context x --pipeline x --pods");
  plan.data = static_cast<int>(job.chips / others);
  plan.batch = job.batch;
  plan.stops_early = job.chip.torus_axes > 0;  // as the search has it
  plan.overlap_data = plan.overlap_pipeline = plan.overlap_tensor;
  check_plan(plan, job.shape);
  std::cout << plan_report(job, {plan, step_time(job.chip, job.shape, plan), memory_use(job.shape, plan)});
}

void report_search(const Job& job) {
  const auto found = search_plans(job, 10);
  if (found.empty())
    throw std::runtime_error("--chips " + std::to_string(job.chips) +
                             ": no plan fits; give more chips, chips with more memory, or a batch that divides better");
  std::cout << plan_report(job, found.front()) << "\n" << search_report(job, found);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Predicts a step of a transformer's training on many chips, or finds the fastest plan.", "plan"};
  app.set_version_flag("--version", "plan " HARDWARE_FIRST_VERSION);
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    for (const CLI::Option* option : app.get_options())
      if (option->count() > 0 && option->get_group().starts_with("A plan")) options.plan_given = true;
    if (options.runs) {
      std::cout << runs_report();
    } else if (options.plan_given) {
      report_plan(job_of(options), options);
    } else {
      report_search(job_of(options));
    }
    std::cout.flush();
    if (!std::cout) throw std::runtime_error("standard output: cannot be written; free space or choose another place");
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const std::exception& error) {  // what CLI11 finds, too
    std::cerr << "plan: " << error.what() << "; see plan --help\n";
    return 2;
  }
}
