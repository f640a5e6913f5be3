// The race of collectives.hpp with MPI processes as ranks, against MPI's own all-reduce.
#include <mpi.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "05-scaling/bench/collectives.hpp"
#include "05-scaling/bench/mpi_window.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "common/ranks/transport_mpi.hpp"

namespace hf::scaling {
namespace {

void all_reduce(std::span<float> numbers) {
  check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
      "MPI_Allreduce");
}

/// "Open MPI v4.1.4"
std::string library_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

nlohmann::json race(Member& me, const nlohmann::json& arguments) {
  const double seconds = arguments.at("seconds");
  const std::size_t most_bytes = affordable_bytes(me, seconds), numbers = most_bytes / sizeof(float);
  const RankPlan plan = {arguments.at("rounds"), arguments.at("minimum_rounds"), seconds};
  const auto answer = [&](const Window* window) -> nlohmann::json {
    const RaceSamples samples = race_all_reduces(me, all_reduce, window, most_bytes, plan);
    if (me.ranks.rank() != 0) return {};
    return {{"library", library_name()}, {"all_reduces", samples}};
  };
  if (!MpiWindow::possible()) return answer(nullptr);
  const MpiWindow shared(numbers);
  WindowAllReduce sums(me.ranks.rank(), shared.parts(), shared.numbers(), me.oversubscribed);
  const Window window = {sums, {shared.numbers()[static_cast<std::size_t>(me.ranks.rank())], numbers}};
  return answer(&window);
}

}  // namespace

/// Arguments: "seconds", "rounds" and "minimum_rounds" of RankPlan. Rank 0 answers with "all_reduces", the RaceSamples,
/// and "library", the name of the MPI library.
const Task collectives_task = {"collectives", race};

}  // namespace hf::scaling
