// A build without MPI: no ranks.
#include <span>
#include <string>
#include <utility>

#include "common/ranks/launch.hpp"
#include "common/ranks/ranks.hpp"
#include "harness/lab.hpp"

namespace hf {

int run_ranked_lab(LabInfo info, int argc, char** argv, std::span<const Task>, const RankedLab& body) {
  return run_lab(info, argc, argv, [&](Lab& lab) { body(lab, nullptr); });
}

std::string no_ranks() { return "no MPI in this build"; }

}  // namespace hf
