// Chapter 05, scaling. One function for each step, in the order of the chapter, in the files of bench/:
//
//   chip           measure_roofs        how fast does this chip compute, and how fast does it read?
//                  measure_batches      how many readers fill it?
//                  measure_kv_caches    and what do their caches cost?
//   threads        measure_threads      what do more cores bring, and what do they not?
//   collectives    measure_collectives  what does it cost when all ranks must agree?
//   training       measure_training     one network, cut in several ways
//   serving        measure_serving      many readers who come and go
//   planner        plan_many_chips      past this machine
//
// Rank 0 runs them; where there are others, they take part in what it has them run (common/ranks/ranks.hpp).
#include "harness/lab.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "05-scaling/bench/steps.hpp"
#include "common/ranks/launch.hpp"
#include "common/ranks/ranks.hpp"

namespace hf::scaling {
namespace {

/// What the ranks can be asked to run.
const std::array tasks = {collectives_task, check_training_task, learn_task, training_steps_task, bubbles_task};

/// What is between the hosts. How fast their wires are is known where somebody says so, as slow-wire does.
void note_network(Lab& lab, const Ranks& ranks) {
  const std::string hosts = std::to_string(ranks.hosts()) + " hosts";
  lab.note(hosts + ": what one chip does alone is left out");
  if (ranks.machines() < ranks.hosts()) {
    lab.note(hosts + " share " +
             (ranks.machines() == 1 ? "one machine" : std::to_string(ranks.machines()) + " machines") + " with " +
             std::to_string(lab.machine().cores) +
             " cores: their ranks take turns, and only what waits for the wire is compared with a model");
  }
  const char* text = std::getenv("HARDWARE_FIRST_WIRE_MBIT");
  const double megabits = text != nullptr ? std::atof(text) : 0;
  if (megabits <= 0) return;
  lab.modelled("network_wire_gbs", megabits / 8000, "GB/s");
  lab.derived("network_payload_gbs", "GB/s");
}

void note_ranks(Lab& lab, const Ranks* ranks) {
  if (ranks == nullptr) return lab.note(no_ranks() + ": collectives and parallel training are missing");
  lab.add(Value("ranks", ranks->size(), "1"));
  lab.add(Value("hosts", ranks->hosts(), "1"));
  lab.add(Value("machines", ranks->machines(), "1"));
  if (ranks->oversubscribed()) {
    lab.note("more ranks than cores: they take turns, and their times are not compared with a model");
  }
  if (ranks->hosts() == 1) return lab.note("one host: what a wire between hosts costs is missing");
  note_network(lab, *ranks);
}

void measure_scaling(Lab& lab, Ranks* ranks) {
  note_ranks(lab, ranks);
  const bool one_host = ranks == nullptr || ranks->hosts() == 1;
  const auto step_on_one_host = [&](const char* name, void (*measure)(Lab&)) {
    lab.step(name, [&] {
      if (one_host) measure(lab);
    });
  };
  step_on_one_host("roofs", measure_roofs);
  step_on_one_host("batch", measure_batches);
  step_on_one_host("KV caches", measure_kv_caches);
  step_on_one_host("threads", measure_threads);
  lab.step("collectives", [&] {
    if (ranks != nullptr) measure_collectives(lab, *ranks);
  });
  lab.step("training", [&] {
    count_what_travels(lab);
    simulate_bubbles(lab);
    if (ranks != nullptr) measure_training(lab, *ranks);
  });
  step_on_one_host("serving", measure_serving);
  step_on_one_host("planner", plan_many_chips);
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "05-scaling",
                            .title = "Scaling",
                            .steps = {{"roofs", 0.3, 1},
                                      {"batch", 1.2, 8, {"roofs"}},
                                      {"KV caches", 2.6, 8, {"roofs"}},
                                      {"threads", 1, 7},
                                      {"collectives", 2.6, 22},
                                      {"training", 3, 20, {"roofs", "collectives"}},
                                      {"serving", 2, 12, {"roofs"}},
                                      {"planner", 1, 3}}};
  return hf::run_ranked_lab(info, argc, argv, hf::scaling::tasks, hf::scaling::measure_scaling);
}
