// The race of collectives.hpp with MPI processes as ranks, against MPI's own all-reduce.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <span>

#include "05-scaling/bench/collectives.hpp"
#include "05-scaling/bench/steps.hpp"
#include "kit/ranks/transport_mpi.hpp"

namespace hf::scaling {
namespace {

void all_reduce(std::span<float> numbers) {
  check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
      "MPI_Allreduce");
}

nlohmann::json race(Member& me, const nlohmann::json& arguments) {
  const double seconds = arguments.at("seconds");
  const RankPlan plan = {arguments.at("rounds"), arguments.at("minimum_rounds"), seconds};
  const RaceSamples samples = race_all_reduces(me, all_reduce, affordable_bytes(me, seconds), plan);
  if (me.ranks.rank() != 0) return {};
  return {{"library", mpi_library()}, {"all_reduces", samples}};
}

}  // namespace

/// Arguments: "seconds", "rounds" and "minimum_rounds" of RankPlan. Rank 0 answers with "all_reduces", the RaceSamples,
/// and "library", the name of the MPI library.
const Task collectives_task = {"collectives", race};

}  // namespace hf::scaling
