#include "05-scaling/mpi_ranks.hpp"

#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "05-scaling/ranks.hpp"
#include "05-scaling/transport_mpi.hpp"
#include "05-scaling/watchdog.hpp"
#include "harness/threads.hpp"

namespace hf::scaling {
namespace {

constexpr int task_tag = 6, answer_tag = 7;
constexpr int patience_seconds = 20;

void send_json(const nlohmann::json& message, int to, int tag) {
  const std::string text = message.dump();
  check_mpi(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD), "MPI_Send");
}

/// Waits asleep: a rank that asked again and again would take a core from the lab.
nlohmann::json receive_json(int from, int tag) {
  MPI_Status status;
  for (int there = 0; there == 0;) {
    check_mpi(MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status), "MPI_Iprobe");
    if (there == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  check_mpi(MPI_Recv(text.data(), length, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
  return nlohmann::json::parse(text);
}

/// How the ranks are spread over machines.
struct Spread {
  int hosts = 0;
  int index_here = 0;  ///< of this rank among those on its host
  bool crowded = false;
};

Spread spread_of_ranks() {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  int rank_here = 0, here = 0;
  MPI_Comm_rank(host, &rank_here);
  MPI_Comm_size(host, &here);
  MPI_Comm_free(&host);
  // Whatever this rank may be bound to: what counts is what the machine has.
  int crowded = here > static_cast<int>(std::thread::hardware_concurrency()), first = rank_here == 0 ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
  return {first, rank_here, crowded != 0};
}

/// What is the same on rank 0 and the others: running a task, watched.
class Runner {
 public:
  explicit Runner(const std::string& program)
      : spread_(spread_of_ranks()), watchdog_(patience_seconds, [this, program](const std::string& task) {
          std::fprintf(
              stderr,
              "%s: rank %d: %s: nothing came for %d s: another rank, or its host, is gone; the previous record is "
              "as it was\n",
              program.c_str(), transport_.rank(), task.c_str(), patience_seconds);
          _exit(1);
        }) {}

  nlohmann::json run(const Task& task, const nlohmann::json& arguments, const std::function<void()>& tick) {
    std::optional<Pinned> pinned;
    if (!spread_.crowded) pinned.emplace(core());
    Member me = {transport_, spread_.crowded, [&] {
                   watchdog_.tick();
                   if (tick) tick();
                 }};
    return watched(task.name, [&] { return task.run(me, arguments); });
  }

  nlohmann::json watched(const char* name, const std::function<nlohmann::json()>& work) {
    watchdog_.begin(name);
    nlohmann::json result = work();
    watchdog_.end();
    return result;
  }

  int size() const { return transport_.size(); }
  const Spread& spread() const { return spread_; }

 private:
  /// Each rank of a host has a core of its own.
  int core() const {
    const std::vector<int>& cores = usable_cores();
    return cores[static_cast<std::size_t>(spread_.index_here) % cores.size()];
  }

  MpiTransport transport_;
  Spread spread_;
  Watchdog watchdog_;
};

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(Runner& runner) : runner_(runner) {}

  int size() const override { return runner_.size(); }
  int hosts() const override { return runner_.spread().hosts; }
  bool crowded() const override { return runner_.spread().crowded; }

  std::vector<nlohmann::json> run(const Task& task, const nlohmann::json& arguments,
                                  std::function<void()> tick) override {
    for (int rank = 1; rank < size(); ++rank)
      send_json({{"task", task.name}, {"arguments", arguments}}, rank, task_tag);
    std::vector<nlohmann::json> answers = {runner_.run(task, arguments, tick)};
    for (int rank = 1; rank < size(); ++rank) {
      answers.push_back(runner_.watched(task.name, [&] { return receive_json(rank, answer_tag); }));
    }
    return answers;
  }

  void end() {
    for (int rank = 1; rank < size(); ++rank) send_json({{"task", ""}}, rank, task_tag);
  }

 private:
  Runner& runner_;
};

const Task& find(std::span<const Task> tasks, const std::string& name) {
  for (const Task& task : tasks) {
    if (std::string_view(task.name) == name) return task;
  }
  throw std::logic_error("no task is called " + name);
}

/// Every rank but the first: task after task, until one without a name.
int serve(Runner& runner, std::span<const Task> tasks) {
  for (;;) {
    const nlohmann::json message = receive_json(0, task_tag);
    const std::string name = message.at("task");
    if (name.empty()) return 0;
    send_json(runner.run(find(tasks, name), message.at("arguments"), {}), 0, answer_tag);
  }
}

int run_first(Runner& runner, const std::function<int(Ranks&)>& first) {
  MpiRanks ranks(runner);
  const int status = first(ranks);
  if (status != 0) MPI_Abort(MPI_COMM_WORLD, status);  // it has said why
  ranks.end();
  return status;
}

}  // namespace

int run_mpi_ranks(const std::string& program, int argc, char** argv, std::span<const Task> tasks,
                  const std::function<int(Ranks&)>& first) {
  return run_ranks(program.c_str(), argc, argv, [&] {
    Runner runner(program);
    if (int rank = 0; MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0) return run_first(runner, first);
    return serve(runner, tasks);
  });
}

}  // namespace hf::scaling
