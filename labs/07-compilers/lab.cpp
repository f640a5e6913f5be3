// Chapter 07, compilers. One function for each step, in the order of the chapter, each in a file of bench/:
//
//   measure_layers      from model(x) to instructions: what each translation costs
//   measure_fusion      several operators, one pass over memory
//   measure_modes       eager, compiled, compiled again when a shape changes
//   measure_attention   attention without its matrix
//   measure_search      a machine looks for the tile
//   measure_legality    which loops may be exchanged
//
// The compiler itself is in kernels/compiler/: a graph, its operators one by one, and the loops that are written for it.
#include "harness/report/lab.hpp"

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/kernels/compiler/cache.hpp"

int main(int argc, char** argv) {
  using namespace hf::compilers;
  const hf::LabInfo info = {.id = "07-compilers",
                            .title = "Compilers",
                            .prepare = [](hf::Lab&) { Cache(default_cache()).check_writable(); },
                            .steps = {{"layers", measure_layers, 2, 6},
                                      {"fusion", measure_fusion, 7.5, 20.5},
                                      {"modes", measure_modes, 2.5, 6},
                                      {"attention", measure_attention, 3, 17},
                                      {"search", measure_search, 3, 11.5},
                                      {"legality", measure_legality, 1, 2}}};
  return hf::run_lab(info, argc, argv);
}
