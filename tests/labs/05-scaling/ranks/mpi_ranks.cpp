// Run by mpirun: the results of collectives on MPI. `mpi_ranks --dies R` kills rank R in the middle, and `mpi_ranks
// --throws R` makes it throw.

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/bench/collectives.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "kit/random.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport_mpi.hpp"

namespace hf::scaling {
namespace {

std::uint64_t sequence(int rank) { return 300 + static_cast<std::uint64_t>(rank); }

// The last two need several pieces of the transport, one of them partial.
constexpr std::size_t sizes[] = {0, 1, 2, 7, 8, 63, 1000, 65536, 300007};

template <class AllReduce>
void check(const std::string& name, int rank, int ranks, AllReduce all_reduce) {
  for (const std::size_t size : sizes) {
    std::vector<float> numbers(size);
    fill_random(numbers, sequence(rank));
    all_reduce(numbers);
    if (!(worst_sum_error(numbers, ranks, sequence) <= 1)) {
      throw std::runtime_error(name + " is wrong for " + std::to_string(size) + " numbers");
    }
  }
}

void check_everything(MpiTransport& ranks) {
  for (const Collective& each : all_reduces()) {
    check(each.name, ranks.rank(), ranks.size(), [&](std::span<float> numbers) { each.run(ranks, numbers); });
  }
}

/// The lab's race, in its shortest form: it checks everything it times.
void check_race(MpiTransport& ranks) {
  Member me = {ranks, [] {}};
  const nlohmann::json answer = collectives_task.run(me, {{"seconds", 0.2}, {"rounds", 1}, {"minimum_rounds", 1}});
  if (ranks.rank() != 0) return;
  const auto samples = answer.at("all_reduces").get<RaceSamples>();
  for (const char* id : {"mpi", "ring"}) {
    if (!samples.contains(id)) throw std::runtime_error(std::string("the race lacks ") + id);
  }
  if (answer.at("library").get<std::string>().empty()) throw std::runtime_error("MPI does not say what it is");
}

/// All ranks work forever, until one of them stops.
[[noreturn]] void work_until(MpiTransport& ranks, const std::string& end, int who) {
  std::vector<float> numbers(100000);
  for (int turn = 0;; ++turn) {
    if (turn == 10 && ranks.rank() == who && end == "--dies") std::raise(SIGKILL);
    if (turn == 10 && ranks.rank() == who && end == "--throws") throw std::runtime_error("has had enough");
    all_reduce_ring(ranks, numbers);
  }
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  return hf::run_ranks("mpi_ranks", argc, argv, [&] {
    hf::MpiTransport ranks;
    if (argc == 3) hf::scaling::work_until(ranks, argv[1], std::atoi(argv[2]));
    hf::scaling::check_everything(ranks);
    hf::scaling::check_race(ranks);
    return 0;
  });
}
