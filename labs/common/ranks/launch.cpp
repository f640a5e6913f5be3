// For a build with MPI.
#include "common/ranks/launch.hpp"

#include <sched.h>

#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "common/ranks/mpi_ranks.hpp"
#include "common/ranks/mpirun.hpp"
#include "common/ranks/ranks.hpp"
#include "harness/report/lab.hpp"

namespace hf {
namespace {

/// Undoes the binding of ranks to a core or a few, which mpirun and srun set up. This lab shares a host differently:
/// its steps for one chip need all cores, and in a task each rank uses one.
void unbind() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &all);
  sched_setaffinity(0, sizeof all, &all);  // the system ignores cores that this process may not use
}

/// \return nothing if this process is to run the lab itself
std::optional<int> start_ranks(const std::string& program, int argc, char** argv) {
  const int ranks = wanted_ranks();
  if (ranks == 1 || !has_mpirun()) return std::nullopt;
  return run_by_mpirun(program, ranks, argc, argv);
}

}  // namespace

int run_ranked_lab(const RankedLab& lab_of, int argc, char** argv, std::span<const Task> tasks) {
  LabInfo alone = lab_of(nullptr);
  const std::string program = "lab-" + alone.id;
  if (!is_rank()) {
    alone.elsewhere = [&] { return start_ranks(program, argc, argv); };
    return run_lab(alone, argc, argv);
  }
  if (!was_started_by_lab()) unbind();
  return run_mpi_ranks(program, argc, argv, tasks,
                       [&](Ranks& ranks) { return run_lab(ranks.size() > 1 ? lab_of(&ranks) : alone, argc, argv); });
}

std::string no_ranks() {
  if (!is_rank() && wanted_ranks() > 1) return "no mpirun on this machine";
  return "one rank, as on one core: RANKS=2 starts two";
}

}  // namespace hf
