#include "kit/ranks/mpi_ranks.hpp"

#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/measure/threads.hpp"
#include "kit/ranks/launcher.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport_mpi.hpp"

namespace hf {
namespace {

/// Ends a process that waits for ranks that are gone: checks once a second whether the watched work makes progress.
class Watchdog {
 public:
  /// \param patience  the number of checks without progress, about a second apart, that are too many
  /// \param late  called then, on a separate thread, with the name of the watched work: it should end the process
  Watchdog(int patience, std::function<void(const std::string& what)> late)
      : patience_(patience), late_(std::move(late)), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  /// Watches the work called `what` until end(). One at a time.
  void begin(const std::string& what) {
    what_ = what;
    tick();
    watching_ = true;
  }
  void end() { watching_ = false; }

  /// Reports progress of the watched work.
  void tick() { news_.fetch_add(1, std::memory_order_relaxed); }

 private:
  /// Counts checks, not seconds, so that a process that was stopped for a while is not late.
  void watch(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any clock;
    std::unique_lock lock(mutex);
    unsigned last = news_;
    for (int without = 0; !stop.stop_requested();) {
      clock.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
      const unsigned now = news_;
      without = watching_ && now == last ? without + 1 : 0;
      last = now;
      if (without < patience_ || stop.stop_requested()) continue;
      late_(what_);
      without = 0;
    }
  }

  int patience_;
  std::function<void(const std::string&)> late_;
  std::atomic<unsigned> news_{0};
  std::atomic<bool> watching_{false};
  std::string what_;     ///< changed only while nothing is watched
  std::jthread thread_;  ///< the last member, so it ends before those it uses
};

constexpr int task_tag = 6, answer_tag = 7;
constexpr int patience_seconds = 20;

void send_json(const nlohmann::json& message, int to, int tag) {
  const std::string text = message.dump();
  check_mpi(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD), "MPI_Send");
}

/// Sleeps between checks for a message: a rank that polls without pause would take a core from the lab.
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

/// The distribution of ranks over machines. Hosts may share a machine, as containers and network namespaces do.
struct Spread {
  int hosts = 0, machines = 0;
  int index_here = 0;           ///< index of this rank on its machine
  bool oversubscribed = false;  ///< more ranks than cores on some host
  bool take_turns = false;      ///< more ranks than cores on some machine
};

/// An identifier of the machine, the same in all its containers: its kernel generates it at boot.
std::string boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

struct Share {
  int groups = 0, index = 0;
  bool oversubscribed = false;
};

/// The number of such groups, this rank's index in its own, and whether some group has more ranks than cores.
Share share(MPI_Comm group) {
  int index = 0, size = 0;
  MPI_Comm_rank(group, &index);
  MPI_Comm_size(group, &size);
  MPI_Comm_free(&group);
  // Uses the machine's number of cores, regardless of this rank's binding.
  int oversubscribed = size > static_cast<int>(std::thread::hardware_concurrency()), groups = index == 0 ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &oversubscribed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &groups, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
  return {groups, index, oversubscribed != 0};
}

Spread spread_of_ranks() {
  MPI_Comm on_host = MPI_COMM_NULL, on_machine = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &on_host),
            "MPI_Comm_split_type");
  const int colour = static_cast<int>(std::hash<std::string>()(boot()) & 0x7fffffff);
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &on_machine), "MPI_Comm_split");
  const Share host = share(on_host), machine = share(on_machine);
  return {host.groups, machine.groups, machine.index, host.oversubscribed, machine.oversubscribed};
}

/// The part that rank 0 and the others have in common: running a task under the watchdog.
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
    if (!spread_.take_turns) pinned.emplace(core());
    Member me = {transport_, [&] {
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
  /// The core for this rank; each rank of a machine has its own.
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
  int machines() const override { return runner_.spread().machines; }
  bool oversubscribed() const override { return runner_.spread().oversubscribed; }

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

/// Runs task after task on every rank but the first, until a task without a name.
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
  if (status != 0) abort_ranks(status);  // `first` has printed the reason
  ranks.end();
  return status;
}

}  // namespace

int run_mpi_ranks(const std::string& program, int argc, char** argv, std::span<const Task> tasks,
                  const std::function<int(Ranks&)>& first) {
  return run_ranks(program.c_str(), argc, argv, [&] {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < asked_ranks()) throw std::runtime_error(wrong_launcher(mpi_library(), size));
    Runner runner(program);
    if (int rank = 0; MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0) return run_first(runner, first);
    return serve(runner, tasks);
  });
}

}  // namespace hf
