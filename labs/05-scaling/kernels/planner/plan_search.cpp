#include "05-scaling/kernels/planner/plan_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"

namespace hf::scaling {
namespace {

constexpr int most_tensor = 16, most_context = 16, most_experts = 64;  // chips of one group
// The software needs some memory itself; of the published plans on GPUs that keep nothing elsewhere, none has more than this.
constexpr double usable_memory = 0.9;

std::vector<int> divisors(int number, int most) {
  std::vector<int> found;
  for (int one = 1; one <= std::min(number, most); ++one)
    if (number % one == 0) found.push_back(one);
  return found;
}

bool divides(double divisor, double number) { return std::fmod(number, divisor) == 0; }

/// Keeps the fastest plans that fit.
class Best {
 public:
  Best(const Job& job, std::size_t most, const Allowed& allowed) : job_(job), most_(most), allowed_(allowed) {}

  void consider(const ParallelPlan& plan) {
    if (allowed_ && !allowed_(plan)) return;
    const MemoryUse memory = memory_use(job_.shape, plan);
    if (memory.total() > usable_memory * job_.chip.capacity) return;
    const StepTime time = step_time(job_.chip, job_.shape, plan);
    const auto place = std::find_if(found_.begin(), found_.end(),
                                    [&](const Candidate& other) { return time.total() < other.time.total(); });
    found_.insert(place, {plan, time, memory});
    if (found_.size() > most_) found_.pop_back();
  }

  std::vector<Candidate> found() && { return std::move(found_); }

 private:
  const Job& job_;
  std::size_t most_;
  const Allowed& allowed_;
  std::vector<Candidate> found_;
};

void vary_schedule(ParallelPlan plan, const Job& job, Best& best) {
  const double layers = layers_of_stage(plan, job.shape);
  for (const double micro : {1, 2, 4, 8, 16}) {
    plan.micro_batch = micro;
    if (!divides(micro * plan.replicas(), plan.batch)) continue;
    for (const int pieces : divisors(static_cast<int>(layers), plan.pipeline == 1 ? 1 : 64)) {
      if (pieces > 1 && !divides(plan.pipeline, plan.micro_batches())) continue;  // or the pieces do not mesh
      plan.interleave = pieces;
      for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        plan.recompute = recompute;
        best.consider(plan);
      }
    }
  }
}

}  // namespace

std::vector<Candidate> search_plans(const Job& job, std::size_t most, const Allowed& allowed) {
  Best best(job, most, allowed);
  const bool torus = job.chip.torus_axes > 0;
  const int pods = torus ? (job.chips + job.chip.together - 1) / job.chip.together : 1;
  if (job.chips % pods != 0) return {};
  const int inside = job.chips / pods;
  ParallelPlan plan;
  plan.pods = pods, plan.batch = job.batch, plan.sequence = job.sequence, plan.overlap_tensor = true;
  plan.fp8 = job.fp8, plan.gradient_bytes = job.gradient_bytes;
  plan.stops_early = torus;  // XLA removes what nobody reads
  for (const int tensor : divisors(inside, most_tensor)) {
    if (!divides(tensor, job.shape.heads)) continue;
    for (const int context : divisors(inside / tensor, most_context)) {
      if (!divides(context, job.sequence)) continue;
      for (const int pipeline : divisors(inside / tensor / context, torus ? 1 : static_cast<int>(job.shape.layers))) {
        plan.tensor = tensor, plan.context = context, plan.pipeline = pipeline;
        plan.data = inside / tensor / context / pipeline;
        for (const Sharding sharding : {Sharding::optimizer, Sharding::full}) {
          plan.sharding = sharding;
          if (sharding == Sharding::full && (pipeline > 1 || plan.sharers() == 1)) continue;
          for (const int experts : divisors(static_cast<int>(job.shape.experts), most_experts)) {
            if (!divides(experts, plan.sharers())) continue;
            plan.experts = experts;
            vary_schedule(plan, job, best);
          }
        }
      }
    }
  }
  return std::move(best).found();
}

std::vector<Candidate> fastest_by_chips(Job job, int most_chips, const Allowed& allowed) {
  std::vector<Candidate> found;
  for (job.chips = 1; job.chips <= most_chips; job.chips *= 2)
    for (const Candidate& one : search_plans(job, 1, allowed)) found.push_back(one);
  return found;
}

}  // namespace hf::scaling
