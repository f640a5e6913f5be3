// The race of collectives.hpp with MPI processes as ranks, against MPI's own all-reduce.
#include <mpi.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "05-scaling/bench/collectives.hpp"
#include "05-scaling/bench/mpi_window.hpp"
#include "05-scaling/bench/steps.hpp"
#include "common/ranks/transport_mpi.hpp"

namespace hf::scaling {
namespace {

void all_reduce(std::span<float> numbers) {
  check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
      "MPI_Allreduce");
}

std::string text_of(std::size_t needed, std::size_t free) {
  const auto mebibytes = [](std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  return std::string("the shared window is missing: it needs ") + mebibytes(needed) + " in " +
         MpiWindow::shared_folder + ", where " + mebibytes(free) + " are free (docker run --shm-size=1g)";
}

nlohmann::json race(Member& me, const nlohmann::json& arguments) {
  const double seconds = arguments.at("seconds");
  const std::size_t most_bytes = affordable_bytes(me, seconds), numbers = most_bytes / sizeof(float);
  const RankPlan plan = {arguments.at("rounds"), arguments.at("minimum_rounds"), seconds};
  const auto answer = [&](const Window* window, const std::string& without_window = "") -> nlohmann::json {
    const RaceSamples samples = race_all_reduces(me, all_reduce, window, most_bytes, plan);
    if (me.ranks.rank() != 0) return {};
    return {{"library", mpi_library()}, {"all_reduces", samples}, {"without_window", without_window}};
  };
  if (!MpiWindow::possible()) return answer(nullptr);
  if (const std::size_t needed = MpiWindow::bytes_of_all(numbers), free = MpiWindow::free_bytes(); needed > free) {
    return answer(nullptr, text_of(needed, free));
  }
  const MpiWindow shared(numbers);
  WindowAllReduce sums(me.ranks.rank(), shared.parts(), shared.numbers(), me.oversubscribed);
  const Window window = {sums, {shared.numbers()[static_cast<std::size_t>(me.ranks.rank())], numbers}};
  return answer(&window);
}

}  // namespace

/// Arguments: "seconds", "rounds" and "minimum_rounds" of RankPlan. Rank 0 answers with "all_reduces", the RaceSamples,
/// "library", the name of the MPI library, and "without_window", why the ranks share no window although they could.
const Task collectives_task = {"collectives", race};

}  // namespace hf::scaling
