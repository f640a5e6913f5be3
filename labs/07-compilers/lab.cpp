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
#include "harness/lab.hpp"

#include "07-compilers/bench/steps.hpp"

namespace hf::compilers {
namespace {

void measure(Lab& lab) {
  lab.step("layers", [&] { measure_layers(lab); });
  lab.step("fusion", [&] { measure_fusion(lab); });
  lab.step("modes", [&] { measure_modes(lab); });
  lab.step("attention", [&] { measure_attention(lab); });
  lab.step("search", [&] { measure_search(lab); });
  lab.step("legality", [&] { measure_legality(lab); });
}

}  // namespace
}  // namespace hf::compilers

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "07-compilers",
                            .title = "Compilers",
                            .steps = {{"layers", 2, 6},
                                      {"fusion", 7.5, 20.5},
                                      {"modes", 2.5, 6},
                                      {"attention", 3, 17},
                                      {"search", 3, 11.5},
                                      {"legality", 1, 2}}};
  return hf::run_lab(info, argc, argv, hf::compilers::measure);
}
