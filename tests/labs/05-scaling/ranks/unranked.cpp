// A lab that needs ranks, in a build without MPI: it runs alone, and a message says why.
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "05-scaling/bench/steps.hpp"
#include "harness/report/lab.hpp"
#include "kit/ranks/launch.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

void measure(Lab& lab) {
  lab.note(no_ranks());
  lab.modelled("sum_gflops", 1, "GFLOP/s");
  ThreadRanks(1, {}).run([](Transport& me) {
    Member alone = {me, [] {}};
    try {
      collectives_task.run(alone, {});
    } catch (const std::logic_error&) {
      return;
    }
    throw std::runtime_error("the collectives raced against nobody");
  });
}

LabInfo lab_of(Ranks* ranks) {
  if (ranks != nullptr) throw std::logic_error("there are ranks");
  return {.id = "99-tiny", .title = "Alone", .steps = {{"ranks", measure, 0.01, 0.01}}};
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  return hf::run_ranked_lab(hf::scaling::lab_of, argc, argv, std::array{hf::scaling::collectives_task});
}
