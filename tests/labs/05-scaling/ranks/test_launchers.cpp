// Launchers that belong to another MPI, are gone, or fail, and machines on which ranks can't share memory.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "process.hpp"
#include "suite.hpp"

namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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
  /// Runs the lab, which must end in one line.
  std::string error(Variables variables = {}, const std::function<void()>& before = {}) const {
    variables.insert({{"RANKS", "2"},
                      {"TMPDIR", folder.path().string()},
                      {"PATH", (folder.path() / "bin").string() + ":" + std::getenv("PATH")}});
    const Ended ended = run({LAB, "--budget", "quick", "--out", folder.path(), "--only", "planner"}, variables, before);
    CHECK(ended.status != 0);
    CHECK(std::ranges::count(ended.err, '\n') == 1);
    CHECK(ended.err.starts_with("lab-05-scaling: "));
    CHECK_FALSE(contains(ended.out, "noise floor"));
    CHECK(content(record) == "old");
    return ended.err;
  }
};

}  // namespace

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
  Variables whole = {{"RANKS", "2"},
                     {"TMPDIR", bench.folder.path().string()},
                     {"PATH", (bench.folder.path() / "bin").string() + ":" + std::getenv("PATH")}};
  const Ended ended = run({LAB, "--budget", "quick", "--out", bench.folder.path()}, whole);
  CHECK(ended.status == 1);
  CHECK(contains(ended.err, "mpirun ended well, but no record was written"));
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

TEST_CASE("an mpirun that goes on in silence ends at a signal") {
  const Bench bench("exec 2>&- >&-; trap '' TERM INT; while :; do sleep 0.1; done");
  Process lab({LAB, "--budget", "quick", "--out", bench.folder.path()},
              {{"RANKS", "2"},
               {"TMPDIR", bench.folder.path().string()},
               {"PATH", (bench.folder.path() / "bin").string() + ":" + std::getenv("PATH")}});
  while (processes_with("TMPDIR=" + bench.folder.path().string()).size() < 2) usleep(5000);
  lab.signal(SIGTERM);
  const Ended ended = lab.wait();
  CHECK(ended.status == 130);
  CHECK(content(bench.record) == "old");
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

TEST_CASE("a /dev/shm that is too small for the window costs the window alone" *
          doctest::skip(cannot_mount || !hf::weekly())) {
  const Bench bench;
  const Ended ended = run({LAB, "--budget", "quick", "--out", bench.folder.path(), "--only", "collectives"},
                          {{"RANKS", "2"}, {"TMPDIR", bench.folder.path().string()}, {"COLUMNS", "200"}},
                          [] { shrink_shared_memory("size=12m"); });
  CHECK(ended.status == 0);
  CHECK(contains(ended.out, "the shared window is missing: it needs "));
  CHECK(contains(ended.out, "ring"));
}
