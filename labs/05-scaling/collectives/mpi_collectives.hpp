/// \file
/// The races of collective_race.hpp between ranks that are processes of MPI.
#pragma once

#include "05-scaling/ranks/ranks.hpp"

namespace hf::scaling {

/// Races against MPI's collectives. Arguments: "seconds", "rounds", "minimum_rounds" of RacePlan.
/// \return from rank 0: "all_reduces" and "parts", the answers of the two races, and "library", what MPI this is
extern const Task collectives_task;

}  // namespace hf::scaling
