#include "05-scaling/kernels/planner/published_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::scaling {
namespace {

double predicted(const PublishedRun& run, const Constants& constants) {
  return step_time(run.chip, run.shape, run.plan, constants).total();
}

double loss(const std::vector<PublishedRun>& runs, const Constants& constants) {
  double sum = 0;
  for (const PublishedRun& run : runs)
    if (run.use() == Use::fit) sum += std::pow(std::log(predicted(run, constants) / run.seconds()), 2);
  return sum;
}

Errors summary(const std::vector<PublishedRun>& runs, Use use,
               const std::function<double(const PublishedRun&)>& error) {
  std::vector<double> all;
  std::size_t too_fast = 0;
  for (const PublishedRun& run : runs) {
    if (run.use() != use) continue;
    all.push_back(std::abs(error(run)));
    if (error(run) < 0) ++too_fast;
  }
  if (all.empty()) return {0, 0, 0, 0};
  const auto near = static_cast<double>(std::ranges::count_if(all, [](double one) { return one <= 0.25; }));
  return {all.size(), estimate(all).median, near / static_cast<double>(all.size()), too_fast};
}

double mfu_of(const PublishedRun& run) { return mfu(run.chip, run.shape, run.plan, run.seconds()); }

}  // namespace

const char* name_of(Use use) {
  constexpr const char* names[] = {"fit", "test", "added", "beyond"};
  return names[static_cast<int>(use)];
}

double PublishedRun::seconds() const {
  const double tokens_of_step = plan.batch * plan.sequence, chips = plan.chips();
  switch (speed) {
    case Speed::seconds: return value;
    case Speed::tokens_per_chip: return tokens_of_step / (value * chips);
    case Speed::tokens: return tokens_of_step / value;
    case Speed::model_tflops: return shape.model_flops(plan.batch, plan.sequence) / (value * 1e12 * chips);
    case Speed::hardware_tflops: return shape.recomputed_flops(plan.batch, plan.sequence) / (value * 1e12 * chips);
    case Speed::maxtext_tflops: break;
  }
  const double attention = 6 * plan.sequence * shape.layers * shape.heads * shape.head_size;
  return tokens_of_step * (6 * shape.parameters() + attention) / (value * 1e12 * chips);
}

Use PublishedRun::use() const {
  if (plan.fp8 || shape.experts > 1) return Use::beyond;
  if (at_first > 0) return Use::added;
  return source == "K22" || source == "MH" ? Use::fit : Use::test;
}

double error(const PublishedRun& run, const Constants& constants) {
  return predicted(run, constants) / run.seconds() - 1;
}

Constants fit_constants(const std::vector<PublishedRun>& runs) {
  Constants best = {0.8, 0.5, 0.5};
  double least = loss(runs, best);
  for (double step = 0.1; step > 1e-4;) {  // one constant at a time, in steps that shrink when none helps
    bool better = false;
    for (double Constants::*constant : {&Constants::matmul, &Constants::memory, &Constants::hidden})
      for (const double change : {-step, step}) {
        Constants next = best;
        next.*constant = std::clamp(next.*constant + change, 0.01, 1.0);
        const double here = loss(runs, next);
        if (here >= least) continue;
        least = here, best = next, better = true;
      }
    if (!better) step /= 2;
  }
  return best;
}

Errors errors(const std::vector<PublishedRun>& runs, Use use, const Constants& constants) {
  return summary(runs, use, [&](const PublishedRun& run) { return error(run, constants); });
}

Errors errors_of_guess(const std::vector<PublishedRun>& runs, Use use) {
  std::vector<double> fitted;
  for (const PublishedRun& run : runs)
    if (run.use() == Use::fit) fitted.push_back(mfu_of(run));
  const double guess = estimate(fitted).median;
  return summary(runs, use, [guess](const PublishedRun& run) { return mfu_of(run) / guess - 1; });
}

Errors errors_at_first(const std::vector<PublishedRun>& runs) {
  return summary(runs, Use::added, [](const PublishedRun& run) { return run.at_first / run.seconds() - 1; });
}

}  // namespace hf::scaling
