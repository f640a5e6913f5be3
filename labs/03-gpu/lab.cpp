// Chapter 03, the GPU. One function for each step, in the order of the chapter, in the named file in bench/:
//
//   chases       measure_limits            what are latency and largest bandwidth, and what follows from both?
//                measure_chases            how much faster are many chases at a time, on one thread and on two?
//   scheduler    measure_scheduler         which queue in a core is full when few loads are in flight?
//   prefetch     measure_prefetch          prefetching, on a machine that waits
//   divergence   measure_divergence        numbers that take different branches, in vectors
//   simt         simulate_latency_hiding   a model that hides latency, with numbers of this machine and of GPUs
//   ports        count_ports               how long do the ladder's kernels wait for registers?
//   cuda/        predict_gpu               what will the GPU itself do, or why is none measured?
//                gpu_steps                 the GPU itself, if there is one
//   counts       emulator_steps            which resources does each rung of the ladder need?
//   warp_rules   count_warp_rules          what do a warp's access patterns, banks and branches cost?
//   simt         simulate_measured_gpu     the model with the numbers of the measured GPU
#include "harness/report/lab.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "03-gpu/bench/cuda/gpu_runs.hpp"
#include "03-gpu/bench/steps.hpp"

namespace hf::gpu {
namespace {

std::vector<Step> all_steps(std::optional<Shared>& shared) {
  std::vector<Step> steps = {{"latency and bandwidth", with(shared, measure_limits), 2, 5},
                             {"chases", with(shared, measure_chases), 3, 12, {"latency and bandwidth"}},
                             {"scheduler", with(shared, measure_scheduler), 1, 6, {"latency and bandwidth"}},
                             {"prefetch", with(shared, measure_prefetch), 1, 5},
                             {"divergence", measure_divergence, 1, 4},
                             {"SIMT model", with(shared, simulate_latency_hiding), 1, 1, {"chases"}},
                             {"register ports, counted", count_ports, 0, 0},
                             {"ladders, predicted", predict_gpu, 0, 0}};
  std::ranges::move(gpu_steps(), std::back_inserter(steps));
  std::ranges::move(emulator_steps(), std::back_inserter(steps));
  steps.push_back({"SIMT model of this GPU", simulate_measured_gpu, 0, 0, {"GPU latency", "GPU bytes in flight"}});
  return steps;
}

}  // namespace
}  // namespace hf::gpu

int main(int argc, char** argv) {
  std::optional<hf::gpu::Shared> shared;
  const hf::LabInfo info = {.id = "03-gpu",
                            .title = "The GPU",
                            .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
                            .steps = hf::gpu::all_steps(shared)};
  return hf::run_lab(info, argc, argv);
}
