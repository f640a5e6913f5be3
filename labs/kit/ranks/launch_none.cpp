// For a build without MPI: no ranks.
#include <span>
#include <string>

#include "harness/report/lab.hpp"
#include "kit/ranks/launch.hpp"
#include "kit/ranks/ranks.hpp"

namespace hf {

int run_ranked_lab(const RankedLab& lab_of, int argc, char** argv, std::span<const Task>) {
  return run_lab(lab_of(nullptr), argc, argv);
}

std::string no_ranks() { return "no MPI in this build"; }

}  // namespace hf
