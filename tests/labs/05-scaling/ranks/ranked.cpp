// A program whose ranks end in every possible way: `ranked END` starts them by mpirun, as the lab does, and rank 1 ends
// in the way END.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "kit/ranks/launcher.hpp"
#include "kit/ranks/mpi_ranks.hpp"
#include "kit/ranks/mpirun.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {
namespace {

/// All ranks sum for a while. In the middle, rank 1 ends.
nlohmann::json work(Member& me, const nlohmann::json& arguments) {
  std::vector<float> numbers(1000, 1.0F);
  for (int turn = 0; turn < 10; ++turn) {
    me.tick();
    std::ranges::fill(numbers, 1.0F);
    all_reduce_ring(me.ranks, numbers);
    if (turn != 5 || me.ranks.rank() != 1) continue;
    if (arguments == "throws") throw std::runtime_error("has had enough");
    if (arguments == "dies") std::raise(SIGKILL);
    if (arguments == "hangs") pause();
    if (arguments == "sends to nobody") me.ranks.send(99, numbers);
  }
  return {{"rank", me.ranks.rank()}, {"sum", numbers[0]}};
}

constexpr Task work_task = {"work", work};

int first(Ranks& ranks, const std::string& end) {
  std::printf("%d ranks\n", ranks.size());
  std::fflush(stdout);
  if (end == "fails on rank 0") return 3;
  for (const nlohmann::json& answer : ranks.run(work_task, end, {})) std::printf("%s\n", answer.dump().c_str());
  std::printf("%d host, %d machine, %s\n", ranks.hosts(), ranks.machines(),
              ranks.oversubscribed() ? "oversubscribed" : "not oversubscribed");
  return 0;
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  using namespace hf;
  using namespace hf::scaling;
  const std::string end = argc > 1 ? argv[1] : "";
  const std::array tasks = {work_task};
  if (is_rank()) return run_mpi_ranks("ranked", argc, argv, tasks, [&](Ranks& ranks) { return first(ranks, end); });
  try {
    forget_launcher();
    return run_by_mpirun("ranked", wanted_ranks(), argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ranked: %s\n", error.what());
    return 1;
  }
}
