#include "04-tpu/kernels/energy.hpp"

#include "04-tpu/bench/steps.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "harness/report/lab.hpp"

namespace hf::tpu {

void count_energy(Lab& lab) {
  const ArrayRun run = run_random(Dataflow::weight_stationary, {128, 128}, {512, 512, 512});
  lab.simulated("energy_of_array", energy(run));
  lab.simulated("energy_without_array", energy_without_reuse(run));
}

}  // namespace hf::tpu
