#include "05-scaling/kernels/planner/plan_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/fit.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/plan_search.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "harness/text.hpp"

namespace hf::scaling {
namespace {

constexpr double GiB = 1024.0 * 1024 * 1024;

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// Seconds to four digits.
std::string seconds(double value) { return number(value, value < 10 ? 3 : value < 100 ? 2 : 1); }

std::string per_cent(double share) { return number(100 * share, 1) + " %"; }

std::string with_sign(double share) {
  char text[64];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * share);
  return text;
}

/// Rows under a header, in columns as wide as their widest; numbers stand to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& sides) {
  std::vector<std::size_t> width(sides.size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], columns(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], width[i], sides[i] == 'r') + "  ";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

const char* text_of(Recompute recompute) {
  switch (recompute) {
    case Recompute::none: return "nothing";
    case Recompute::selective: return "attention";
    case Recompute::full: break;
  }
  return "everything";
}

const char* text_of(Sharding sharding) {
  switch (sharding) {
    case Sharding::none: return "gradients";
    case Sharding::optimizer: return "gradients; each keeps a share of the optimiser's state";
    case Sharding::full: break;
  }
  return "weights, gradients and the optimiser's state";
}

std::string errors_line(const char* what, const Errors& errors) {
  return std::string(what) + " on " + std::to_string(errors.runs) + " runs: median error " + per_cent(errors.median) +
         ", within 25 %: " + per_cent(errors.within_quarter) + "\n";
}

/// Why, a line for each source and chip with runs that are off by more than a tenth.
std::string misses() {
  std::vector<std::string> lines;
  for (const PublishedRun& run : published_runs()) {
    if (std::abs(error(run, fitted)) <= 0.1) continue;
    const std::string line = run.source + " on " + run.chip.name + ": " + run.note + "\n";
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  std::string text = "off by more than 10 %:\n";
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

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
  text += "micro-batch " + number(plan.micro_batch, 0) + ", batch " + number(plan.batch, 0) + " of " +
          number(plan.sequence, 0) + " tokens; computed again: " + text_of(plan.recompute) + "; replicas share " +
          text_of(plan.sharding) + "\n\n";
  text += table({{"seconds of a step", "", ""},
                 part("  arithmetic", time.arithmetic),
                 part("  memory", time.memory),
                 part("  tensor links", time.tensor),
                 part("  network", time.network),
                 part("  bubble", time.bubble),
                 part("  all", total),
                 {"tokens per second and chip", number(plan.batch * plan.sequence / total / plan.chips(), 0), ""},
                 {"MFU", per_cent(mfu(job.chip, job.shape, plan, total)), ""},
                 {"memory of a chip", "", ""},
                 held("  weights", memory.weights),
                 held("  gradients", memory.gradients),
                 held("  optimiser", memory.optimizer),
                 held("  activations", memory.activations),
                 held("  all", memory.total())},
                "lrr");
  text += std::string("what limits: ") + what_limits(time) + "\n";
  if (memory.total() > job.chip.capacity)
    text += "does not fit: " + number(memory.total() / GiB, 1) + " GiB of " + number(job.chip.capacity / GiB, 1) +
            "; cut more, or compute more again\n";
  return text;
}

std::string search_report(const Job& job, const std::vector<Candidate>& candidates) {
  std::vector<std::vector<std::string>> rows = {
      {"plan", "micro-batch", "computed again", "shared", "seconds", "MFU", "GiB", "what limits"}};
  for (const auto& [plan, time, memory] : candidates)
    rows.push_back({short_name(plan), number(plan.micro_batch, 0), text_of(plan.recompute),
                    plan.sharding == Sharding::full ? "all" : "optimiser", seconds(time.total()),
                    per_cent(mfu(job.chip, job.shape, plan, time.total())), number(memory.total() / GiB, 1),
                    what_limits(time)});
  return table(rows, "lrllrrrl");
}

std::string runs_report() {
  std::vector<std::vector<std::string>> rows = {
      {"", "source", "model", "chips", "", "plan", "published s", "predicted s", "error", "MFU", "what limits"}};
  for (const PublishedRun& run : published_runs()) {
    const StepTime time = step_time(run.chip, run.shape, run.plan);
    rows.push_back({name_of(run.use()), run.source, run.shape.name, std::to_string(run.plan.chips()), run.chip.name,
                    short_name(run.plan), seconds(run.seconds()), seconds(time.total()), with_sign(error(run, fitted)),
                    per_cent(mfu(run.chip, run.shape, run.plan, run.seconds())), what_limits(time)});
  }
  std::string text = table(rows, "lllrllrrrrl") + "\n";
  text += "constants: products reach " + number(fitted.matmul, 3) + " of the best one's rate, element-wise work " +
          number(fitted.memory, 3) + " of the memory's; " + number(fitted.hidden, 3) + " of what overlaps is hidden\n";
  text += errors_line("fitted", errors(published_runs(), Use::fit, fitted));
  text += errors_line("tested", errors(published_runs(), Use::test, fitted));
  text += errors_line("tested, the largest run of each model and source,",
                      errors(largest_of_each(published_runs()), Use::test, fitted));
  text += errors_line("added after the constants were fixed,", errors(published_runs(), Use::added, fitted));
  text += errors_line("the same, as predicted on the day they were added,", errors_at_first(published_runs()));
  text += errors_line("8-bit products or experts", errors(published_runs(), Use::beyond, fitted));
  text.append("\n").append(misses()).append("\n");
  for (const Source& source : published_sources()) text += source.name + ": " + source.title + "\n";
  return text;
}

}  // namespace hf::scaling
