/// \file
/// Starting this program again, many times, by mpirun.
#pragma once

#include <string>

namespace hf {

/// Whether mpirun, srun or the like started this process as one rank of many; and whether run_by_mpirun() did.
bool is_rank();
bool was_started_by_lab();

/// How many ranks are wanted: what RANKS says in the environment, else one for each core that this process may use.
/// \throws std::runtime_error where RANKS is no number of at least 1
int wanted_ranks();

/// Whether there is an mpirun to be found.
bool has_mpirun();

/// Runs this program, with its command line, as so many ranks on this machine, and waits. What they write comes out as they
/// write it; of an end before time, one line: what this program said of it, else what mpirun noticed.
/// \param program  as error messages name it: "lab-05-scaling"
/// \return exit status
/// \throws Interrupted
int run_by_mpirun(const std::string& program, int ranks, int argc, char** argv);

/// What mpirun's words say of an end before time, in short.
std::string reason_of_end(const std::string& words, int status);

}  // namespace hf
