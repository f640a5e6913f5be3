/// \file
/// How a lab gets its ranks. Started by hand, it starts them itself with mpirun: one per core, or as many as the
/// environment variable RANKS says. Started by mpirun or srun, it is one of them.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "harness/report/lab.hpp"
#include "kit/ranks/ranks.hpp"

namespace hf {

/// Makes the lab for these ranks; null if there are none, for the reason in no_ranks().
using RankedLab = std::function<LabInfo(Ranks* ranks)>;

/// The main function of a lab with ranks: run_lab() on rank 0, while the others wait for its tasks. If a rank fails,
/// dies or makes no progress for 20 s, all ranks end, and one line on standard error says which rank and why.
/// \param tasks  all tasks that the lab runs; their names differ
/// \return exit status, as for run_lab()
int run_ranked_lab(const RankedLab& lab_of, int argc, char** argv, std::span<const Task> tasks);

/// Why there are no ranks, worded for a note: "no MPI in this build".
std::string no_ranks();

}  // namespace hf
