// Chapter 05, scaling. One function for each step, in the order of the chapter:
//
//   measure_roofs          how fast does this chip compute, and how fast does it read?
//   measure_batches        how many readers fill it?
//   measure_kv_caches      and what do their caches cost?
//   measure_threads        what do more cores bring, and what do they not?
//   measure_collectives    what does it cost when all ranks must agree?
//   measure_training       one network, cut in several ways
//   measure_serving        many readers who come and go
//   plan_many_chips        past this machine
//
// Rank 0 runs them; where there are others, they take part in what it has them run (ranks.hpp).
#include "harness/lab.hpp"

#include <array>

#include "05-scaling/launch.hpp"
#include "05-scaling/ranks.hpp"
#include "harness/threads.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

// ---- The two roofs ----

void measure_roofs(Lab&) {}

// ---- How many readers fill a chip? ----

void measure_batches(Lab&) {}

// ---- What their caches cost ----

void measure_kv_caches(Lab&) {}

// ---- What more cores bring ----

void measure_threads(Lab&) {}

// ---- All ranks agree ----

void measure_collectives(Lab&, Ranks&) {}

// ---- One network, cut in several ways ----

void measure_training(Lab&, Ranks&) {}

// ---- Readers who come and go ----

void measure_serving(Lab&) {}

// ---- Past this machine ----

void plan_many_chips(Lab&) {}

// ---- The lab ----

/// What the ranks can be asked to run.
constexpr std::array<Task, 0> tasks = {};

void note_ranks(Lab& lab, const Ranks* ranks) {
  if (ranks == nullptr) return lab.note(no_ranks() + ": collectives and parallel training are missing");
  lab.add(Value("ranks", ranks->size(), "1"));
  lab.add(Value("hosts", ranks->hosts(), "1"));
  if (ranks->crowded()) {
    lab.note("more ranks than cores: they take turns, and their times are not compared with a model");
  }
}

void measure_scaling(Lab& lab, Ranks* ranks) {
  note_ranks(lab, ranks);
  lab.step("roofs", [&] { measure_roofs(lab); });
  lab.step("batch", [&] { measure_batches(lab); });
  lab.step("KV caches", [&] { measure_kv_caches(lab); });
  lab.step("threads", [&] { measure_threads(lab); });
  lab.step("collectives", [&] {
    if (ranks != nullptr) measure_collectives(lab, *ranks);
  });
  lab.step("training", [&] {
    if (ranks != nullptr) measure_training(lab, *ranks);
  });
  lab.step("serving", [&] { measure_serving(lab); });
  lab.step("planner", [&] { plan_many_chips(lab); });
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "05-scaling",
                            .title = "Scaling",
                            .steps = {{"roofs", 1, 3},
                                      {"batch", 1, 8, {"roofs"}},
                                      {"KV caches", 1, 7, {"roofs"}},
                                      {"threads", 1, 7},
                                      {"collectives", 3, 25},
                                      {"training", 2, 20, {"collectives"}},
                                      {"serving", 2, 12, {"roofs"}},
                                      {"planner", 1, 3, {"roofs", "collectives", "training"}}}};
  return hf::scaling::run_ranked_lab(info, argc, argv, hf::scaling::tasks, hf::scaling::measure_scaling);
}
