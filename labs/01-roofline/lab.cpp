// Chapter 01, the roofline. One function for each step, in the order of the chapter, in the named file in bench/:
//
//   peaks     measure_arithmetic   how fast can this machine compute?
//   ladders   measure_bandwidth    how fast can it fetch?
//             measure_latency      and how long does it wait?
//   kernels   predict_kernels      what should ten kernels achieve? (predicted before any of them runs)
//             measure_kernels      what do they achieve?
//   strides   measure_strides      what does it cost to use only some of the numbers?
//   browser   measure_in_browser   how much of that remains in a browser?
#include "harness/report/lab.hpp"

#include <optional>

#include "01-roofline/bench/steps.hpp"

int main(int argc, char** argv) {
  using namespace hf::roofline;
  std::optional<Shared> shared;
  const hf::LabInfo info = {
      .id = "01-roofline",
      .title = "The roofline",
      .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
      .steps = {{"peaks", with(shared, measure_arithmetic), 1, 4},
                {"bandwidth", with(shared, measure_bandwidth), 5, 27},
                {"latency", with(shared, measure_latency), 2, 12, {"peaks"}},
                {"checking the kernels", with(shared, predict_kernels), 1, 2, {"peaks", "bandwidth"}},
                {"kernels", with(shared, measure_kernels), 4, 20, {"checking the kernels"}},
                {"strides", with(shared, measure_strides), 1, 6, {"bandwidth"}},
                {"browser", with(shared, measure_in_browser), 3, 12}}};
  return hf::run_lab(info, argc, argv);
}
