/// \file
/// Whether a launcher (mpirun, srun or the like) started this process as a rank, judged before MPI is initialised.
#pragma once

#include <string>

namespace hf {

/// True if this process is a rank: a variable says which, and the launcher that set it is there. A variable alone may be
/// left over from another program.
bool is_rank();

/// True if run_by_mpirun() started this process, directly or not.
bool was_started_by_lab();

/// Marks the processes that this one starts as ranks of a lab: see was_started_by_lab() and asked_ranks().
void mark_as_started_by_lab(int ranks);

/// How many ranks the launcher was to start; 1 if nothing says so.
int asked_ranks();

/// Removes what a launcher that is gone left in the environment, which would mislead mpirun.
void forget_launcher();

/// The file that execvp("mpirun") runs; empty if none is found along PATH.
std::string mpirun_on_path();

/// Why there are fewer ranks than asked for: the launcher belongs to another MPI than the library.
/// \param library  "Open MPI v4.1.4" \param found  the number of ranks that it sees
std::string wrong_launcher(const std::string& library, int found);

}  // namespace hf
