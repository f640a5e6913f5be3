// Chapter 05, scaling. The steps, in the order of the chapter, and their files in bench/:
//
//   chip           measure_roofs        how fast does this chip compute, and how fast does it read?
//                  measure_batches      how many users keep it busy?
//                  measure_kv_caches    and what do their caches cost?
//   collectives    measure_collectives  what does an all-reduce cost?
//   training       measure_training     how long does a step take if the network is split in several ways?
//   serving        measure_serving      how long do users wait who come and go?
//   planner        plan_many_chips      how fast would many chips train?
//
// Rank 0 runs the steps; other ranks, if any, run the tasks that it gives them (kit/ranks/ranks.hpp).
#include "harness/report/lab.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "05-scaling/bench/steps.hpp"
#include "kit/ranks/launch.hpp"

namespace hf::scaling {
namespace {

/// The tasks that ranks can run.
const std::array tasks = {collectives_task, check_training_task, training_steps_task, bubbles_task};

/// Notes what connects the hosts. The speed of their wires is known only if the environment states it, as slow-wire
/// does.
void note_network(Lab& lab, const Ranks& ranks) {
  const std::string hosts = std::to_string(ranks.hosts()) + " hosts";
  lab.note(hosts + ": experiments on a single chip were left out");
  if (ranks.machines() < ranks.hosts()) {
    lab.note(hosts + " share " +
             (ranks.machines() == 1 ? "one machine" : std::to_string(ranks.machines()) + " machines") + " with " +
             std::to_string(lab.machine().cores) +
             " cores, so their ranks take turns, and only times spent on the network are compared with a model");
  }
  const char* text = std::getenv("HARDWARE_FIRST_WIRE_MBIT");
  const double megabits = text != nullptr ? std::atof(text) : 0;
  if (megabits <= 0) return;
  lab.modelled("network_wire_gbs", megabits / 8000, "GB/s");
}

void note_ranks(Lab& lab, const Ranks* ranks) {
  if (ranks == nullptr) return lab.note(no_ranks() + ": collectives and parallel training were not measured");
  lab.add(Value("ranks", ranks->size(), "1"));
  lab.add(Value("hosts", ranks->hosts(), "1"));
  lab.add(Value("machines", ranks->machines(), "1"));
  if (ranks->oversubscribed()) {
    lab.note("more ranks than cores: they take turns, so their times are not compared with a model");
  }
  if (ranks->hosts() == 1) return lab.note("only one host: the cost of a network between hosts was not measured");
  note_network(lab, *ranks);
}

void train(Lab& lab, Ranks* ranks) {
  count_what_travels(lab);
  simulate_bubbles(lab);
  if (ranks != nullptr) measure_training(lab, *ranks);
}

LabInfo lab_of(Ranks* ranks) {
  const auto on_one_host = [ranks](void (*measure)(Lab&)) {
    return [ranks, measure](Lab& lab) {
      if (ranks == nullptr || ranks->hosts() == 1) measure(lab);
    };
  };
  const auto agree = [ranks](Lab& lab) {
    if (ranks != nullptr) measure_collectives(lab, *ranks);
  };
  return {.id = "05-scaling",
          .title = "Scaling",
          .prepare = [ranks](Lab& lab) { note_ranks(lab, ranks); },
          .steps = {{"roofs", on_one_host(measure_roofs), 0.3, 1},
                    {"batch", on_one_host(measure_batches), 1.2, 8, {"roofs"}},
                    {"KV caches", on_one_host(measure_kv_caches), 2.6, 8, {"roofs"}},
                    {"collectives", agree, 2.6, 22},
                    {"training", [ranks](Lab& lab) { train(lab, ranks); }, 3, 20, {"collectives"}},
                    {"serving", on_one_host(measure_serving), 2, 12, {"roofs"}},
                    {"planner", on_one_host(plan_many_chips), 1, 3}}};
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) { return hf::run_ranked_lab(hf::scaling::lab_of, argc, argv, hf::scaling::tasks); }
