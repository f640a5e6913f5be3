/// \file
/// Ranks as MPI processes.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "kit/ranks/ranks.hpp"

namespace hf {

/// Initialises MPI, runs `first` on rank 0 and its tasks on the others, and finalises MPI.
/// \param program  its name in error messages
/// Ends at once if there are fewer ranks than the launcher was to start: it belongs to another MPI.
/// \return exit status, `first`'s on rank 0; if it is not 0, all ranks end with it
int run_mpi_ranks(const std::string& program, int argc, char** argv, std::span<const Task> tasks,
                  const std::function<int(Ranks&)>& first);

}  // namespace hf
