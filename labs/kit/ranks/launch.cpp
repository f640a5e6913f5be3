// For a build with MPI.
#include "kit/ranks/launch.hpp"

#include <sched.h>
#include <sys/statvfs.h>

#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "harness/report/lab.hpp"
#include "harness/report/limits.hpp"
#include "kit/ranks/launcher.hpp"
#include "kit/ranks/mpi_ranks.hpp"
#include "kit/ranks/mpirun.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport_mpi.hpp"

namespace hf {
namespace {

/// Undoes the binding of ranks to a core or a few, which mpirun and srun set up. This lab shares a host differently:
/// its steps for one chip need all cores, and in a task each rank uses one.
void unbind() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &all);
  sched_setaffinity(0, sizeof all, &all);  // the system ignores cores that this process may not use
}

/// Checks, before mpirun starts, that ranks can share the memory through which they send messages: with less, MPI crashes.
void require_shared_memory(int ranks) {
  constexpr unsigned long mebibyte = 1 << 20, each = 5;  // Open MPI's segments have 4 MiB
  const unsigned long needed = each * static_cast<unsigned long>(ranks);
  struct statvfs state = {};
  if (statvfs("/dev/shm", &state) != 0) return;
  const unsigned long free = state.f_bavail * state.f_frsize / mebibyte;
  if (free >= needed) return;
  throw std::runtime_error("/dev/shm: " + std::to_string(ranks) + " ranks need " + std::to_string(needed) + " MiB, " +
                           std::to_string(free) +
                           " MiB are free; enlarge it (docker run --shm-size=1g), or set RANKS=1");
}

/// The lab, with a line for its record's notes; none if it is empty.
LabInfo with_note(LabInfo lab, const std::string& note) {
  if (note.empty()) return lab;
  lab.prepare = [prepare = lab.prepare, note](Lab& running) {
    running.note(note);
    if (prepare) prepare(running);
  };
  return lab;
}

/// \return nothing if this process is to run the lab itself
std::optional<int> start_ranks(const std::string& program, int argc, char** argv) {
  const int ranks = wanted_ranks();
  if (ranks == 1 || mpirun_on_path().empty()) return std::nullopt;
  require_shared_memory(ranks);
  return run_by_mpirun(program, ranks, argc, argv);
}

}  // namespace

int run_ranked_lab(const RankedLab& lab_of, int argc, char** argv, std::span<const Task> tasks) {
  LabInfo alone = lab_of(nullptr);
  const std::string program = "lab-" + alone.id;
  if (was_started_by_lab() && !is_rank()) {  // it would start itself again, without end
    std::fprintf(stderr, "%s: %s\n", program.c_str(), wrong_launcher(mpi_library(), 1).c_str());
    return 1;
  }
  if (!is_rank()) {
    forget_launcher();
    alone.elsewhere = [&] { return start_ranks(program, argc, argv); };
    return run_lab(alone, argc, argv);
  }
  leave_no_core_files();
  if (!was_started_by_lab()) unbind();
  const std::string copying = copy_without_reading_ranks();
  return run_mpi_ranks(program, argc, argv, tasks, [&](Ranks& ranks) {
    return run_lab(ranks.size() > 1 ? with_note(lab_of(&ranks), copying) : alone, argc, argv);
  });
}

std::string no_ranks() {
  if (!is_rank() && wanted_ranks() > 1) return "no mpirun on this machine";
  return "one rank, as on one core: RANKS=2 starts two";
}

}  // namespace hf
