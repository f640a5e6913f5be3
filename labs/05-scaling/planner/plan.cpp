// plan: how long a step of a transformer's training takes on many chips, and which plan is fastest.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include "05-scaling/planner/chips.hpp"
#include "05-scaling/planner/memory_use.hpp"
#include "05-scaling/planner/parallel_plan.hpp"
#include "05-scaling/planner/plan_report.hpp"
#include "05-scaling/planner/plan_search.hpp"
#include "05-scaling/planner/step_time.hpp"
#include "05-scaling/planner/transformer_shape.hpp"

namespace {

using namespace hf::scaling;

struct Options {
  std::string model = "gpt3-175b", chip = "h100", recompute = "none", sharding = "optimizer";
  int chips = 0;
  double batch = 0;
  ParallelPlan plan;
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
  app.add_flag("--runs", options.runs, "print predicted against published, for every run that is known");

  const std::string group = "A plan (without one of these, plans are searched)";
  const auto cut = [&](const char* name, int& ways, const char* text) {
    app.add_option(name, ways, text)->check(size)->group(group);
  };
  cut("--tensor", plan.tensor, "chips that share each layer");
  cut("--context", plan.context, "chips that share each sequence");
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

Job job_of(const Options& options) {
  if (options.chips == 0) throw std::runtime_error("--chips: is missing; say how many chips there are, or --runs");
  if (options.batch == 0) throw std::runtime_error("--batch: is missing; say how many sequences a step has");
  return {chip(options.chip), shape_of(options.model), options.chips, options.batch, options.plan.sequence};
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
