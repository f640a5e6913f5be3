/// \file
/// Ranks that are processes of MPI.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "common/ranks/ranks.hpp"

namespace hf {

/// From MPI's beginning to its end: rank 0 runs `first`, the others what it has them run.
/// \param program  as error messages name it
/// \return exit status, `first`'s on rank 0; where it is not 0, all ranks end with it
int run_mpi_ranks(const std::string& program, int argc, char** argv, std::span<const Task> tasks,
                  const std::function<int(Ranks&)>& first);

}  // namespace hf
