#include "limits.hpp"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/machine/first_line.hpp"
#include "harness/machine/machine.hpp"

namespace hf {
namespace {

/// How many threads this process can have beside its first, at most `wanted`.
std::size_t possible_threads(std::size_t wanted) {
  std::latch end(1);
  std::vector<std::jthread> threads;
  try {
    while (threads.size() < wanted) threads.emplace_back([&end] { end.wait(); });
  } catch (const std::exception&) {  // as many as there are
  }
  end.count_down();
  return threads.size();
}

/// Whether a process may read another's memory.
bool can_read_a_child() {
  int number = 0;  // the child's own copy is at the same address
  const pid_t child = fork();
  if (child < 0) return true;  // nobody knows
  if (child == 0) {
    alarm(10);  // if this process is killed first
    pause();
    _exit(0);
  }
  iovec to = {&number, sizeof number}, from = to;
  const bool refused = process_vm_readv(child, &to, 1, &from, 1, 0) < 0 && (errno == EPERM || errno == ENOSYS);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return !refused;
}

}  // namespace

void leave_no_core_files() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_CORE, &limit) != 0) return;
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &limit);
}

std::vector<std::string> limit_notes() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return {"ulimit -v allows " + capacity_text(limit.rlim_cur) +
          " of addresses: programs that need more, such as a browser, could not be measured"};
}

std::string copy_without_reading_ranks() {
  if (can_read_a_child()) return "";
  constexpr int keep = 0;                                            // what you chose
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", keep);  // Open MPI 4
  setenv("OMPI_MCA_smsc", "^cma", keep);                             // Open MPI 5
  return "the system refuses process_vm_readv, so ranks copy each message twice (docker run --cap-add SYS_PTRACE "
         "allows it)";
}

void check_threads() {
  constexpr std::size_t teams = 4;  // a lab's own, OpenMP's, and those of libraries, which all stay
  const std::size_t wanted = teams * usable_cores().size(), possible = possible_threads(wanted);
  if (possible == wanted) return;
  throw std::runtime_error("only " + std::to_string(possible) + " of " + std::to_string(wanted) +
                           " threads can be started: raise the limit (ulimit -u, ulimit -v, a container's pids "
                           "limit), or use fewer cores (taskset -c 0)");
}

void check_single_copy() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  // A shell that srun opened passes the variable on, and labs started there are not copies.
  const bool by_srun = first_line("/proc/" + std::to_string(getppid()) + "/comm") == "slurmstepd";
  if (tasks == nullptr || std::atoi(tasks) < 2 || !by_srun) return;
  for (const char* rank : {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (std::getenv(rank) != nullptr) return;
  }
  throw std::runtime_error("srun started " + std::string(tasks) +
                           " copies, but a lab needs the machine for itself: use srun -n 1, or, for the ranks of "
                           "lab-05, srun --mpi=pmix; nothing was measured");
}

}  // namespace hf
