// Chapter 04, the TPU. Each step of the chapter is one function, in the file of its name in bench/:
//
//   array         check_array            is the simulated array right?
//   utilisation   simulate_utilisation   how well is an array used, by shape, dataflow and size?
//   tpuv1         predict_tpuv1          do two models predict what the counters of the first TPU measured?
//   energy        count_energy           where does the energy go?
//   matrix_unit   measure_matrix_unit    how fast are narrow numbers on this machine?
//   repeats       measure_repeats        how much do repeated runs vary on this machine?
#include "harness/report/lab.hpp"

#include <optional>

#include "04-tpu/bench/steps.hpp"
#include "harness/measure/threads.hpp"

int main(int argc, char** argv) {
  using namespace hf::tpu;
  std::optional<hf::Pinned> pinned;
  const hf::LabInfo info = {.id = "04-tpu",
                            .title = "The TPU",
                            .prepare = [&](hf::Lab&) { pinned.emplace(); },
                            .steps = {{"the array, checked", check_array, 1, 2},
                                      {"utilisation", simulate_utilisation, 3, 5},
                                      {"TPUv1", predict_tpuv1, 2, 4},
                                      {"energy", count_energy, 1, 1},
                                      {"matrix unit", measure_matrix_unit, 3, 12},
                                      {"repeats", measure_repeats, 1, 3}}};
  return hf::run_lab(info, argc, argv);
}
