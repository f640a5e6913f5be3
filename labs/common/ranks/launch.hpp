/// \file
/// How the lab gets its ranks. Started by hand it starts them itself, by mpirun, one for each core or as many as RANKS says
/// in the environment. Under mpirun or srun it is one of them.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "common/ranks/ranks.hpp"
#include "harness/report/lab.hpp"

namespace hf {

/// The lab of these ranks; null where there can be none, and no_ranks() then says why.
using RankedLab = std::function<LabInfo(Ranks* ranks)>;

/// The main function of a lab with ranks: run_lab() on rank 0, while the others wait for its tasks. A rank that fails, dies
/// or does not get on for 20 s ends all of them, and one line on standard error says which and why.
/// \param tasks  all that the lab will run; their names differ
/// \return exit status, as of run_lab()
int run_ranked_lab(const RankedLab& lab_of, int argc, char** argv, std::span<const Task> tasks);

/// Why there are no ranks, in words for a note: "no MPI in this build".
std::string no_ranks();

}  // namespace hf
