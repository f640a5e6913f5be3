/// \file
/// Starts this program again with mpirun, as several ranks.
#pragma once

#include <string>

namespace hf {

/// The number of ranks to start: the environment variable RANKS, else one per core that this process may use.
/// \throws std::runtime_error if RANKS is not a whole number of at least 1
int wanted_ranks();

/// Runs this program, with its command line, as `ranks` ranks on this machine, and waits. Shows their standard output
/// unchanged. If they end early, prints one line: this program's own message or, without one, mpirun's.
/// \param program  its name in error messages: "lab-05-scaling"
/// \return exit status
/// \throws Interrupted
int run_by_mpirun(const std::string& program, int ranks, int argc, char** argv);

/// The reason for an early end, shortened from mpirun's output.
std::string reason_of_end(const std::string& words, int status);

}  // namespace hf
