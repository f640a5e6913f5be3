// Chapter 08, your model. bench/roofs.cpp, bench/networks.cpp and bench/reasons.cpp have one function for each step:
//
//   measure_roofs        how fast do this machine's cores compute and read?
//   predict_networks     how long should each operation of five networks take?
//   measure_networks     how long does it take?
//   measure_products     why do products of few rows take longer?
//   measure_pooling      why does max pooling take longer than its bytes?
//   measure_activations  which GELU is faster in a near cache?
//   measure_told         one network, from its first version to one that is at least twice as fast
//
// model/ is the package in Python that counts, predicts and times a network under PyTorch; `make model` runs it on yours.
#include "harness/report/lab.hpp"

#include <optional>

#include "08-your-model/bench/steps.hpp"

int main(int argc, char** argv) {
  using namespace hf::your_model;
  std::optional<Shared> shared;
  const hf::LabInfo info = {.id = "08-your-model",
                            .title = "Your model",
                            .prepare = [&](hf::Lab&) { shared.emplace(); },
                            .steps = {{"roofs", with(shared, measure_roofs), 3, 12},
                                      {"predictions", with(shared, predict_networks), 30, 30, {"roofs"}},
                                      {"networks", with(shared, measure_networks), 30, 60, {"predictions"}},
                                      {"products", with(shared, measure_products), 4, 4, {"roofs"}},
                                      {"pooling", with(shared, measure_pooling), 4, 4, {"roofs"}},
                                      {"activations", with(shared, measure_activations), 3, 3, {"roofs"}},
                                      {"told", with(shared, measure_told), 30, 120, {"predictions"}}}};
  return hf::run_lab(info, argc, argv);
}
