/// \file
/// The race of collective_race.hpp between ranks that are processes of MPI.
#pragma once

#include "common/ranks/ranks.hpp"

namespace hf::scaling {

/// Races against MPI's all-reduce. Arguments: "seconds", "rounds", "minimum_rounds" of RacePlan.
/// \return from rank 0: "all_reduces", the answer of the race, and "library", what MPI this is
extern const Task collectives_task;

}  // namespace hf::scaling
