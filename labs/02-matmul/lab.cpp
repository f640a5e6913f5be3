// Chapter 02, everything is matrix multiplication. One function for each step, in the order of the chapter, in the
// named file in bench/:
//
//   peaks      measure_peak            a first measurement of the roof
//   traffic    count_traffic           how many bytes does each rung of the ladder move? (simulated before timing)
//   ladder     climb_the_ladder        how fast is each rung, from small matrices to large ones?
//   anatomy    take_apart              at one size: how fast is each rung, and what makes the definition slow?
//   conflict   measure_conflict        why does the naive product collapse where N is a power of two?
//   blocks     measure_blocks          does the model choose the right block?
//   layers     measure_layers          convolution, attention and a perceptron, by definition and as matrix products
//   race       race_with_all_threads   the fastest product against other libraries (peers)
//              race_with_one_thread
#include "harness/report/lab.hpp"

#include <optional>

#include "02-matmul/bench/steps.hpp"

int main(int argc, char** argv) {
  using namespace hf::matmul;
  std::optional<Shared> shared;
  const hf::LabInfo info = {.id = "02-matmul",
                            .title = "Everything is matrix multiplication",
                            .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
                            .steps = {{"peaks", measure_peak, 0.3, 1},
                                      {"simulated traffic", with(shared, count_traffic), 2.5, 7, {"peaks"}},
                                      {"the ladder", climb_the_ladder, 3, 24, {"peaks"}},
                                      {"the anatomy", take_apart, 1.5, 9, {"peaks"}},
                                      {"powers of two", with(shared, measure_conflict), 0.7, 3, {"peaks"}},
                                      {"block sizes", measure_blocks, 1.2, 8, {"peaks"}},
                                      {"layers", measure_layers, 1, 5, {"peaks"}},
                                      {"race, all threads", with(shared, race_with_all_threads), 1.5, 14, {"peaks"}},
                                      {"race, 1 thread", with(shared, race_with_one_thread), 2.5, 20, {"peaks"}}}};
  return hf::run_lab(info, argc, argv);
}
