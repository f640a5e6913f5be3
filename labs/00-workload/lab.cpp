// Chapter 00, the workload. One function for each step, in the order of the chapter, in the named file in bench/:
//
//   triple_loop   measure_roofs          how fast do all cores compute, and how fast do they read?
//                 compare_triple_loops   how much slower is the textbook's loop than a tuned library?
//   passes        check_networks         are three networks correct, in the largest sizes that this machine can run?
//                 measure_passes         how much work is a pass, how long should it take, and where does the time go?
//   decode        measure_batches        what does it cost to generate text for many users at once?
//                 measure_kv_cache       what does it cost to recompute instead of caching?
#include "harness/report/lab.hpp"

#include <optional>

#include "00-workload/bench/steps.hpp"

int main(int argc, char** argv) {
  using namespace hf::workload;
  std::optional<Shared> shared;
  const hf::LabInfo info = {
      .id = "00-workload",
      .title = "The workload",
      .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
      .steps = {{"roofs", with(shared, measure_roofs), 0.6, 4},
                {"triple loop", with(shared, compare_triple_loops), 1.6, 8},
                {"checking the networks", with(shared, check_networks), 3, 4, {"triple loop"}},
                {"where the time goes", with(shared, measure_passes), 4, 34, {"roofs", "checking the networks"}},
                {"batch", with(shared, measure_batches), 2, 14, {"roofs", "checking the networks"}},
                {"KV cache", with(shared, measure_kv_cache), 2, 14, {"roofs", "checking the networks"}}}};
  return hf::run_lab(info, argc, argv);
}
