// plan: predicts how long a training step of a transformer takes on many chips, and finds the fastest plan.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "harness/report/text.hpp"

namespace {

using namespace hf::scaling;

// ---- What is printed ----

constexpr double GiB = 1024.0 * 1024 * 1024;

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// Formats seconds to four digits.
std::string seconds(double value) { return number(value, value < 10 ? 3 : value < 100 ? 2 : 1); }

std::string per_cent(double share) { return number(100 * share, 1) + "%"; }

std::string with_sign(double share) {
  char text[64];
  std::snprintf(text, sizeof text, "%+.1f%%", 100 * share);
  return text;
}

/// Formats rows under a header in columns as wide as their widest entry. \param sides  of each column, 'l' or 'r'
std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& sides) {
  std::vector<std::size_t> width(sides.size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], hf::columns(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += hf::padded(row[i], width[i], sides[i] == 'r') + "  ";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

const char* text_of(Recompute recompute) {
  constexpr const char* texts[] = {"nothing", "attention", "everything"};
  return texts[static_cast<int>(recompute)];
}

const char* text_of(Sharding sharding) {
  constexpr const char* texts[] = {"nothing", "the optimiser's state", "weights, gradients and the optimiser's state"};
  return texts[static_cast<int>(sharding)];
}

std::string errors_line(const char* what, const Errors& errors) {
  return std::string(what) + ": " + std::to_string(errors.runs) + " runs, median error " + per_cent(errors.median) +
         ", " + per_cent(errors.within_quarter) + " of the runs within 25%\n";
}

/// Explains the misses: one line for each source and chip with runs that are off by more than 10%.
std::string misses() {
  std::vector<std::string> lines;
  for (const PublishedRun& run : published_runs()) {
    if (std::abs(error(run, fitted)) <= 0.1) continue;
    const std::string line = run.source + " on " + run.chip.name + ": " + run.note + "\n";
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  std::string text = "off by more than 10%:\n";
  for (const std::string& line : lines) text += line;
  return text;
}

/// Reports one plan: seconds by cause, tokens per second, MFU, memory, what limits it.
std::string plan_report(const Job& job, const Candidate& candidate) {
  const auto& [plan, time, memory] = candidate;
  const double total = time.total();
  const auto part = [&](const char* name, double value) {
    return std::vector<std::string>{name, seconds(value), per_cent(value / total)};
  };
  const auto held = [&](const char* name, double bytes) {
    return std::vector<std::string>{name, number(bytes / GiB, 1) + " GiB", per_cent(bytes / job.chip.capacity)};
  };
  std::string text = job.shape.name + ", " + number(job.shape.parameters() / 1e9, 1) + " billion parameters, on " +
                     std::to_string(plan.chips()) + " x " + job.chip.name + ": " + short_name(plan) + "\n";
  text += "sequences per step: " + number(plan.batch, 0) + ", per micro-batch: " + number(plan.micro_batch, 0) +
          ", each of " + number(plan.sequence, 0) + " tokens; recomputed: " + text_of(plan.recompute) +
          "; sharded over replicas: " + text_of(plan.sharding) + "\n\n";
  text += table({{"seconds per step", "", ""},
                 part("  arithmetic", time.arithmetic),
                 part("  memory", time.memory),
                 part("  tensor links", time.tensor),
                 part("  network", time.network),
                 part("  bubble", time.bubble),
                 part("  total", total),
                 {"tokens per second per chip", number(plan.batch * plan.sequence / total / plan.chips(), 0), ""},
                 {"MFU", per_cent(mfu(job.chip, job.shape, plan, total)), ""},
                 {"memory per chip", "", ""},
                 held("  weights", memory.weights),
                 held("  gradients", memory.gradients),
                 held("  optimiser", memory.optimizer),
                 held("  activations", memory.activations),
                 held("  total", memory.total())},
                "lrr");
  text += std::string("largest part of a step: ") + what_limits(time) + "\n";
  if (memory.total() > job.chip.capacity)
    text += "does not fit: a chip needs " + number(memory.total() / GiB, 1) + " GiB but has " +
            number(job.chip.capacity / GiB, 1) + " GiB; cut more, or recompute more\n";
  return text;
}

/// Reports several plans, one line each.
std::string search_report(const Job& job, const std::vector<Candidate>& candidates) {
  std::vector<std::vector<std::string>> rows = {
      {"plan", "micro-batch", "recomputed", "sharded", "seconds", "MFU", "GiB", "largest part"}};
  for (const auto& [plan, time, memory] : candidates)
    rows.push_back({short_name(plan), number(plan.micro_batch, 0), text_of(plan.recompute),
                    plan.sharding == Sharding::full ? "everything" : "optimiser", seconds(time.total()),
                    per_cent(mfu(job.chip, job.shape, plan, time.total())), number(memory.total() / GiB, 1),
                    what_limits(time)});
  return table(rows, "lrllrrrl");
}

/// Compares predicted with published speeds, one line for each run; then lists the errors by use, and the sources.
std::string runs_report() {
  std::vector<std::vector<std::string>> rows = {
      {"", "source", "model", "chips", "", "plan", "published s", "predicted s", "error", "MFU", "largest part"}};
  for (const PublishedRun& run : published_runs()) {
    const StepTime time = step_time(run.chip, run.shape, run.plan);
    rows.push_back({name_of(run.use()), run.source, run.shape.name, std::to_string(run.plan.chips()), run.chip.name,
                    short_name(run.plan), seconds(run.seconds()), seconds(time.total()), with_sign(error(run, fitted)),
                    per_cent(mfu(run.chip, run.shape, run.plan, run.seconds())), what_limits(time)});
  }
  std::string text = table(rows, "lllrllrrrrl") + "\n";
  text += "constants: products reach " + number(fitted.matmul, 3) + " of the best product's speed, element-wise work " +
          number(fitted.memory, 3) + " of the memory's bandwidth; " + number(fitted.hidden, 3) +
          " of what could overlap is hidden\n";
  text += errors_line("fitted", errors(published_runs(), Use::fit, fitted));
  text += errors_line("tested", errors(published_runs(), Use::test, fitted));
  text += errors_line("added after the constants were fixed", errors(published_runs(), Use::added, fitted));
  text += errors_line("the same, as predicted on the day when they were added", errors_at_first(published_runs()));
  text += errors_line("with 8-bit products or experts", errors(published_runs(), Use::beyond, fitted));
  text.append("\n").append(misses()).append("\n");
  for (const Source& source : published_sources()) text += source.name + ": " + source.title + "\n";
  return text;
}

// ---- Options ----

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
  app.add_option("--chips", options.chips, "number of chips")->check(size);
  app.add_option("--batch", options.batch, "sequences per step, over all chips")->check(size);
  app.add_option("--sequence", plan.sequence, "tokens per sequence")->check(size)->capture_default_str();
  app.add_flag("--fp8", plan.fp8, "the layers' products multiply 8-bit numbers");
  app.add_option("--gradient-bytes", plan.gradient_bytes, "bytes of each gradient that is summed over chips")
      ->check(CLI::IsMember({2, 4}))
      ->capture_default_str();
  app.add_flag("--runs", options.runs, "compare predicted and published speed for every published run");

  const std::string sizes = "The model's sizes (by default, those of --model)";
  const auto own = [&](const char* name, double& number, const char* text) {
    app.add_option(name, number, text)->check(size)->group(sizes);
  };
  own("--kv-heads", options.kv_heads, "heads of keys and values");
  own("--head-size", options.head_size, "width of a head");
  own("--ffn", options.ffn, "width of the perceptron, or of one expert");
  own("--vocabulary", options.vocabulary, "tokens in the vocabulary");
  own("--experts", options.experts, "experts in each layer");
  own("--active", options.active, "experts that each token goes through");
  app.add_flag("--gated", options.gated, "the perceptron has a third matrix")->group(sizes);
  app.add_flag("--untied", options.untied, "the last layer does not reuse the embedding's matrix")->group(sizes);

  const std::string group = "A plan (without any of these, the fastest plans are searched for)";
  const auto cut = [&](const char* name, int& ways, const char* text) {
    app.add_option(name, ways, text)->check(size)->group(group);
  };
  cut("--tensor", plan.tensor, "chips that share each layer");
  cut("--context", plan.context, "chips that share each sequence");
  cut("--expert", plan.experts, "chips that divide the experts, among those that hold the same layers");
  cut("--pipeline", plan.pipeline, "stages");
  cut("--interleave", plan.interleave, "pieces of each stage");
  cut("--pods", plan.pods, "groups of replicas that only the network connects");
  app.add_option("--micro-batch", plan.micro_batch, "sequences per micro-batch")->check(size)->group(group);
  app.add_option("--recompute", options.recompute, "what the backward pass computes again")
      ->check(CLI::IsMember({"none", "selective", "full"}))
      ->group(group);
  app.add_option("--sharding", options.sharding, "what is sharded over replicas")
      ->check(CLI::IsMember({"none", "optimizer", "full"}))
      ->group(group);
  app.add_flag("!--no-overlap", plan.overlap_tensor, "messages never overlap arithmetic")->group(group);
  app.add_flag("!--unfused-attention", plan.flash, "attention writes its scores to memory")->group(group);
}

/// Returns the model of a known name, or a GPT of three sizes.
TransformerShape shape_of(const std::string& name) {
  int layers = 0, hidden = 0, heads = 0, length = 0;
  if (std::sscanf(name.c_str(), "%6d/%7d/%5d%n", &layers, &hidden, &heads, &length) != 3 ||
      length != static_cast<int>(name.size()))
    return model(name);
  if (layers < 1 || heads < 1 || hidden < 1 || hidden % heads != 0)
    throw std::runtime_error("--model " + name + ": give three positive sizes, the third a divisor of the second");
  return gpt(name, layers, hidden, heads);
}

/// Returns the model, with any sizes given as options instead of its own.
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
    throw std::runtime_error("--active " + text(shape.active) + ": is more than the model's experts, " +
                             text(shape.experts));
  return shape;
}

Job job_of(const Options& options) {
  if (options.chips == 0) throw std::runtime_error("--chips: is missing; give the number of chips, or --runs");
  if (options.batch == 0) throw std::runtime_error("--batch: is missing; give the number of sequences per step");
  const ParallelPlan& plan = options.plan;
  const Job job = {chip(options.chip), shape_of(options), options.chips,      options.batch,
                   plan.sequence,      plan.fp8,          plan.gradient_bytes};
  if (job.fp8 && job.chip.matmul8 == 0)
    throw std::runtime_error("--fp8: nobody measured such products on --chip " + job.chip.name +
                             "; leave it out or choose another chip");
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
  plan.stops_early = job.chip.torus_axes > 0;  // as in search_plans()
  plan.overlap_data = plan.overlap_pipeline = plan.overlap_tensor;
  check_plan(plan, job.shape);
  std::cout << plan_report(job, {plan, step_time(job.chip, job.shape, plan), memory_use(job.shape, plan)});
}

void report_search(const Job& job) {
  const auto found = search_plans(job, 10);
  if (found.empty())
    throw std::runtime_error(
        "--chips " + std::to_string(job.chips) +
        ": no plan fits; give more chips, chips with more memory, or a batch that divides more evenly");
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
  } catch (const std::exception& error) {  // CLI11's errors, too
    std::cerr << "plan: " << error.what() << "; see plan --help\n";
    return 2;
  }
}
