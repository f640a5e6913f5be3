#include "05-scaling/collectives/mpi_collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "05-scaling/collectives/collective_race.hpp"
#include "05-scaling/collectives/collective_window.hpp"
#include "05-scaling/collectives/mpi_window.hpp"
#include "05-scaling/ranks/ranks.hpp"
#include "05-scaling/ranks/transport_mpi.hpp"

namespace hf::scaling {
namespace {

int count(std::span<const float> numbers) { return static_cast<int>(numbers.size()); }

int block(std::span<const float> numbers) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return count(numbers) / ranks;
}

Library mpi_library() {
  return {
      .all_reduce =
          [](std::span<float> numbers) {
            check_mpi(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), count(numbers), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
                      "MPI_Allreduce");
          },
      .reduce_scatter =
          [](std::span<float> numbers) {
            check_mpi(MPI_Reduce_scatter_block(MPI_IN_PLACE, numbers.data(), block(numbers), MPI_FLOAT, MPI_SUM,
                                               MPI_COMM_WORLD),
                      "MPI_Reduce_scatter_block");
          },
      .all_gather =
          [](std::span<float> numbers) {
            check_mpi(
                MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, numbers.data(), block(numbers), MPI_FLOAT, MPI_COMM_WORLD),
                "MPI_Allgather");
          },
      .all_to_all =
          [](std::span<float> in, std::span<float> out) {
            check_mpi(MPI_Alltoall(in.data(), block(in), MPI_FLOAT, out.data(), block(out), MPI_FLOAT, MPI_COMM_WORLD),
                      "MPI_Alltoall");
          }};
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
  constexpr double all_reduces_share = 0.85;
  const double seconds = arguments.at("seconds");
  RacePlan plan = {.most_bytes = affordable_bytes(me, seconds),
                   .rounds = arguments.at("rounds"),
                   .minimum_rounds = arguments.at("minimum_rounds"),
                   .budget_seconds = seconds * all_reduces_share};
  const Library library = mpi_library();
  nlohmann::json answer = {{"library", library_name()}};
  if (MpiWindow::possible()) {
    const MpiWindow shared(plan.most_bytes / sizeof(float));
    WindowAllReduce sums(me.ranks.rank(), shared.parts(), shared.numbers(), me.crowded);
    float* const mine = shared.numbers()[static_cast<std::size_t>(me.ranks.rank())];
    const Window window = {sums, {mine, plan.most_bytes / sizeof(float)}};
    answer["all_reduces"] = race_all_reduces(me, library, &window, plan);
  } else {
    answer["all_reduces"] = race_all_reduces(me, library, nullptr, plan);
  }
  plan.most_bytes = std::min<std::size_t>(plan.most_bytes, 4 << 20);
  plan.budget_seconds = seconds - plan.budget_seconds;
  answer["parts"] = race_parts(me, library, plan);
  return me.ranks.rank() == 0 ? answer : nlohmann::json();
}

}  // namespace

const Task collectives_task = {"collectives", race};

}  // namespace hf::scaling
