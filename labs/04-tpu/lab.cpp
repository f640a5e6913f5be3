// Chapter 04, the TPU. One function for each step, in the order of the chapter, in the file of its name in bench/:
//
//   array         check_array            is the simulated array right, and how fast is the simulator?
//   utilisation   simulate_utilisation   how much of an array works, by shape, dataflow and size?
//   tpuv1         predict_tpuv1          what do two models say of the first TPU, and what did its counters say?
//   energy        count_energy           where does the energy go?
//   matrix_unit   measure_matrix_unit    how fast are narrow numbers on this machine?
//   repeats       measure_repeats        the same work again and again: array and processor
#include "harness/lab.hpp"

#include "04-tpu/bench/steps.hpp"
#include "harness/threads.hpp"

namespace hf::tpu {
namespace {

void measure_tpu(Lab& lab) {
  const Pinned pinned;
  lab.step("the array, checked", [&] { check_array(lab); });
  lab.step("utilisation", [&] { simulate_utilisation(lab); });
  lab.step("TPUv1", [&] { predict_tpuv1(lab); });
  lab.step("energy", [&] { count_energy(lab); });
  lab.step("matrix unit", [&] { measure_matrix_unit(lab); });
  lab.step("repeats", [&] { measure_repeats(lab); });
}

}  // namespace
}  // namespace hf::tpu

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "04-tpu",
                            .title = "The TPU",
                            .steps = {{"the array, checked", 1, 2},
                                      {"utilisation", 3, 5, {"the array, checked"}},
                                      {"TPUv1", 2, 4},
                                      {"energy", 1, 1},
                                      {"matrix unit", 3, 12},
                                      {"repeats", 1, 3}}};
  return hf::run_lab(info, argc, argv, hf::tpu::measure_tpu);
}
