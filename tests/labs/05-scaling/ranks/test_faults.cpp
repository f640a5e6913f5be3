// What happens to all ranks when one of them fails or hangs; launchers that belong to another MPI, are gone, or fail; and
// machines on which ranks can't share memory.
#include <doctest/doctest.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "process.hpp"
#include "suite.hpp"

namespace {

namespace fs = std::filesystem;

using hf::contains;

/// True if none of them remains: killed processes need a moment, or longer on a busy machine.
bool all_end(const std::string& variable) {
  for (int tenths = 0; tenths < 600 && !processes_with(variable).empty(); ++tenths) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return processes_with(variable).empty();
}

/// Runs the program with this many ranks, and checks that none remains.
Ended ranked(const std::string& end, const std::string& ranks) {
  const std::string token = "HARDWARE_FIRST_TEST=" + std::to_string(getpid());
  Ended ended = run({RANKED, end}, {{"RANKS", ranks}, {"HARDWARE_FIRST_TEST", std::to_string(getpid())}});
  CHECK(all_end(token));
  return ended;
}

void ends_with(const std::string& end, const std::string& line) {
  CAPTURE(end);
  const Ended ended = ranked(end, "3");
  CHECK(ended.status != 0);
  CHECK_MESSAGE(ended.err.find('\n') == ended.err.size() - 1, ended.err);
  CHECK_MESSAGE(contains(ended.err, line), ended.err);
}

TEST_CASE("ranks that get on answer in their order") {
  const Ended ended = ranked("works", "3");
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  const std::size_t first = ended.out.find("\"rank\":0"), last = ended.out.find("\"rank\":2");
  REQUIRE(last != std::string::npos);
  CHECK(first < last);
  CHECK(contains(ended.out, "\"sum\":3.0"));
  CHECK(contains(ended.out, "1 host, 1 machine"));
}

const unsigned cores = std::thread::hardware_concurrency();

TEST_CASE("more ranks than cores are said to be so" * doctest::skip(cores > 16)) {  // each rank is a process
  const std::string more = std::to_string(cores + 1);
  CHECK(contains(ranked("works", more).out, ", oversubscribed"));
  CHECK(contains(ranked("works", "1").out, ", not oversubscribed"));
}

TEST_CASE("a rank that throws ends all, and says why in one line") {
  ends_with("throws", "ranked: rank 1: has had enough");
}

TEST_CASE("a rank that is killed ends all, and one line says which it was") {
  ends_with("dies", "ranked: rank 1 was ended by signal 9 (Killed); the previous record is as it was");
}

TEST_CASE("an error of MPI ends all, and one line says on which rank") {
  ends_with("sends to nobody", "ranked: rank 1: MPI_Isend: MPI_ERR_RANK: ");
}

TEST_CASE("a rank that does not get on ends all" * doctest::skip(!hf::weekly())) {  // after 20 s
  ends_with("hangs", "nothing came for 20 s: another rank, or its host, is gone; the previous record is as it was");
}

TEST_CASE("the status of rank 0 is that of all") { CHECK(ranked("fails on rank 0", "2").status == 3); }

TEST_CASE("RANKS that are no number are refused in one line") {
  for (const char* ranks : {"0", "-1", "x", "2x", "99999999999"}) {
    CAPTURE(ranks);
    const Ended ended = ranked("works", ranks);
    CHECK(ended.status == 1);
    CHECK(ended.out.empty());
    CHECK(ended.err == "ranked: RANKS='" + std::string(ranks) + "': expected a whole number of at least 1\n");
  }
}

TEST_CASE("the lab ends with a killed rank, and leaves the previous record") {
  const TemporaryFolder folder;
  const fs::path record = folder.path() / "05-scaling.json";
  write(record, "the previous one");
  const std::string token = "HARDWARE_FIRST_TEST=lab" + std::to_string(getpid());
  Process lab({LAB, "--budget", "quick", "--out", folder.path(), "--only", "training"},
              {{"RANKS", "2"}, {"TMPDIR", folder.path()}, {"HARDWARE_FIRST_TEST", "lab" + std::to_string(getpid())}});
  lab.wait_until_it_says("training, about");
  for (const pid_t process : processes_with(token)) {
    const std::string environment = content("/proc/" + std::to_string(process) + "/environ");
    if (contains(environment, "OMPI_COMM_WORLD_RANK=1")) kill(process, SIGKILL);
  }
  const Ended ended = lab.wait();
  CHECK(ended.status != 0);
  CHECK(ended.err == "lab-05-scaling: rank 1 was ended by signal 9 (Killed); the previous record is as it was\n");
  CHECK(content(record) == "the previous one");
  CHECK(all_end(token));
}

using Variables = std::map<std::string, std::string>;

/// A lab whose mpirun is this shell script, or the real one if it is empty; the previous record stays.
struct Bench {
  TemporaryFolder folder;
  fs::path record = folder.path() / "05-scaling.json";

  explicit Bench(const std::string& mpirun = "") {
    write(record, "old");
    if (mpirun.empty()) return;
    const fs::path file = folder.path() / "bin" / "mpirun";
    write(file, "#!/bin/sh\n[ \"$1\" = --version ] && echo 'HYDRA build details:' && exit\nshift 2\n" + mpirun);
    chmod(file.c_str(), 0700);
  }
  /// The lab's environment.
  Variables environment(Variables more = {}) const {
    more.insert({{"RANKS", "2"},
                 {"TMPDIR", folder.path().string()},
                 {"PATH", (folder.path() / "bin").string() + ":" + std::getenv("PATH")}});
    return more;
  }
  /// Runs the lab, which must end in one line.
  std::string error(const Variables& more = {}, const std::function<void()>& before = {}) const {
    const Ended ended =
        run({LAB, "--budget", "quick", "--out", folder.path(), "--only", "planner"}, environment(more), before);
    CHECK(ended.status != 0);
    CHECK(std::ranges::count(ended.err, '\n') == 1);
    CHECK(ended.err.starts_with("lab-05-scaling: "));
    CHECK_FALSE(contains(ended.out, "noise floor"));
    CHECK(content(record) == "old");
    return ended.err;
  }
};

TEST_CASE("an mpirun that makes no ranks is named beside the lab's library, and nothing is started without end") {
  const std::string each_alone = "PMI_RANK=0 PMI_SIZE=2 PMI_FD=1 \"$@\" & PMI_RANK=1 PMI_SIZE=2 PMI_FD=1 \"$@\" & ";
  for (const std::string& mpirun : {std::string("exec \"$@\""), std::string("\"$@\" & \"$@\" & wait; exit 1"),
                                    each_alone + "wait; exit 1", std::string("OMPI_COMM_WORLD_RANK=0 exec \"$@\"")}) {
    CAPTURE(mpirun);
    const Bench bench(mpirun);
    const std::string error = bench.error();
    CHECK(contains(error, "2 ranks were to be started, but "));
    CHECK(contains(error, ", which this lab uses, finds 1: " + (bench.folder.path() / "bin/mpirun").string()));
    CHECK(contains(error, "(MPICH's) belongs to another library; put mpirun of "));
    CHECK(contains(error, "nothing was written"));
  }
}

TEST_CASE("an mpirun that ends well without having run the lab is an error") {
  const Bench bench("exit 0");
  const Ended ended = run({LAB, "--budget", "quick", "--out", bench.folder.path()}, bench.environment());
  CHECK(ended.status == 1);
  CHECK(contains(ended.err, "mpirun succeeded, but no record was written"));
  CHECK(content(bench.record) == "old");
}

TEST_CASE("what a launcher that is gone left in the environment makes no rank") {
  const Variables of_mpirun = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
                  of_srun = {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"PMI_FD", "99"}},
                  of_pmix = {{"PMIX_RANK", "0"}, {"PMIX_SERVER_URI41", "a.0;tcp4://127.0.0.1:1"}};
  for (Variables variables : {of_mpirun, of_srun, of_pmix}) {
    CAPTURE(variables.begin()->first);
    variables["RANKS"] = "2";
    const Ended ended = run({RANKED, "works"}, variables);
    CHECK(ended.status == 0);
    CHECK_MESSAGE(ended.err == "", ended.err);
    CHECK(contains(ended.out, "2 ranks"));
  }
}

TEST_CASE("mpirun's first sentence is passed on, with the variables that direct it") {
  CHECK(contains(Bench("printf -- '-----\\nThe  value is\\nwrong.  More of it.\\n-----\\n' >&2; exit 1")
                     .error({{"PRTE_MCA_x", "1"}}),
                 "lab-05-scaling: mpirun: The value is wrong; the environment sets PRTE_MCA_x; the previous record"));
  const std::string component = Bench().error({{"OMPI_MCA_btl", "nonsense"}});
  CHECK(contains(component, "; the environment sets OMPI_MCA_btl; the previous record is as it was"));
  const std::string log = Bench("echo '[host:12] [[1,0],0] FORCE-TERMINATE AT 1' >&2; exit 2").error();
  CHECK(contains(log, "mpirun: FORCE-TERMINATE AT 1"));
  CHECK_FALSE(contains(log, "host:12"));
  CHECK(contains(Bench("exit 3").error(), "mpirun ended with status 3 and said nothing"));
}

TEST_CASE("an mpirun that goes on in silence ends at a signal, before its silence or in it") {
  for (const bool silent : {false, true}) {
    CAPTURE(silent);
    const std::string closes = "exec 2>&- >&-; ",
                      waits = "touch $TMPDIR/begun; while [ ! -e $TMPDIR/told ]; do sleep 0.1; done; ";
    const Bench bench("trap '' TERM INT; " + (silent ? closes + waits : waits + closes) +
                      "while :; do sleep 0.1; done");
    Process lab({LAB, "--budget", "quick", "--out", bench.folder.path()}, bench.environment());
    while (!fs::exists(bench.folder.path() / "begun")) usleep(5000);
    lab.signal(SIGTERM);
    write(bench.folder.path() / "told", "");
    CHECK(lab.wait().status == 130);
    CHECK(content(bench.record) == "old");
  }
}

/// Gives this process a /dev/shm of its own, of that size. \return false if the system does not allow it
bool shrink_shared_memory(const char* size) {
  if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return mount("tmpfs", "/dev/shm", "tmpfs", 0, size) == 0;
}

const bool cannot_mount = !in_child([] { return shrink_shared_memory("size=1m"); });

TEST_CASE("a /dev/shm that is too small for ranks is named, with the remedy" * doctest::skip(cannot_mount)) {
  const std::string error = Bench().error({}, [] { shrink_shared_memory("size=2500k"); });  // LLVM's OpenMP uses a page
  CHECK(error ==
        "lab-05-scaling: /dev/shm: 2 ranks need 10 MiB, 2 MiB are free; enlarge it (docker run --shm-size=1g), or set "
        "RANKS=1\n");
}

}  // namespace
