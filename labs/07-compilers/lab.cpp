// Chapter 07, compilers. bench/ has one function for each step, in the order of the chapter, each in its own file:
//
//   measure_layers      from model(x) to instructions: the cost of each translation
//   measure_fusion      several operators in one pass over memory
//   measure_new_shape   recompilation when a shape changes
//   measure_attention   attention without the matrix of scores
//   measure_search      automatic search for the best tile
//   measure_legality    a sweep in other orders, and additions that may be reordered
//
// The compiler itself is in kernels/compiler/: graphs, operator-by-operator execution, and generated loops.
#include "harness/report/lab.hpp"

#include "07-compilers/bench/steps.hpp"

int main(int argc, char** argv) {
  using namespace hf::compilers;
  const hf::LabInfo info = {.id = "07-compilers",
                            .title = "Compilers",
                            .steps = {{"layers", measure_layers, 2, 6},
                                      {"fusion", measure_fusion, 5.5, 15.5},
                                      {"new shape", measure_new_shape, 1.5, 3},
                                      {"attention", measure_attention, 3, 17},
                                      {"search", measure_search, 3, 11.5},
                                      {"legality", measure_legality, 1, 2}}};
  return hf::run_lab(info, argc, argv);
}
