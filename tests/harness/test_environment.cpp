// What a lab and its children see of the environment and of limits, and that a lab always ends.
#include <doctest/doctest.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>  // NOLINT(misc-include-cleaner): has __NR_process_vm_readv

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "harness/machine/cores.hpp"
#include "harness/report/environment.hpp"
#include "harness/report/limits.hpp"
#include "process.hpp"
#include "record/check.hpp"
#include "record/record.hpp"
#include "suite.hpp"

namespace {

namespace fs = std::filesystem;

using hf::contains;

const std::set<std::string> lock_and_records = {"hardware-first.lock", "records"};

}  // namespace

TEST_CASE(
    "variables that steer libraries, Python and git reach neither a lab nor its children, and the record lists them") {
  const Bench place(true);
  const std::vector<std::string> steering = {"OMP_THREAD_LIMIT",     "GOMP_SPINCOUNT",         "KMP_AFFINITY",
                                             "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",        "DNNL_MAX_CPU_ISA",
                                             "PYTHONHOME",           "PYTHONSAFEPATH",         "GIT_DIR",
                                             "GIT_CONFIG_COUNT",     "CUBLAS_WORKSPACE_CONFIG"};
  std::map<std::string, std::string> variables = {{"LC_ALL", "de_DE.UTF-8"}, {"OMPI_MCA_btl", "^tcp"}, {"OMP", "1"}};
  for (const std::string& name : steering) variables[name] = "1";
  const Ended ended = place.run("show its environment", variables);
  REQUIRE(ended.status == 0);
  const std::string notes = hf::load_record(place.record)["run"]["notes"].dump();
  for (const std::string& name : steering) {
    CAPTURE(name);
    CHECK_FALSE(contains(ended.out, '\n' + name + "="));
    CHECK(contains(notes, name));
  }
  CHECK(contains(ended.out, "note: removed from the environment: "));
  for (const char* stays :
       {"\nLC_ALL=C.UTF-8\n", "\nCCACHE_DISABLE=1\n", "\nSCCACHE_RECACHE=1\n", "\nOMPI_MCA_btl=^tcp\n", "\nOMP=1\n"})
    CHECK(contains(ended.out, stays));
}

TEST_CASE("a variable that acts before a lab begins is in its record") {
  const Bench place(true);
  REQUIRE(place.run("", {{"MALLOC_ARENA_MAX", "1"}}).status == 0);
  const hf::Json record = hf::load_record(place.record);
  CHECK(contains(record["run"]["notes"].dump(), "measured with MALLOC_ARENA_MAX set in the environment"));
}

TEST_CASE("what the project's own tools set is not told as the user's") {
  const Bench place(true);
  REQUIRE(place.run("", {{"PYTHONUTF8", "1"}, {"LC_ALL", "C.UTF-8"}, {"PIP_USER", "0"}}).status == 0);
  CHECK_FALSE(contains(hf::load_record(place.record)["run"].dump(), "PYTHONUTF8"));
}

TEST_CASE("of what should be loaded before, only what is loaded is noted and passed on" *
          doctest::skip(!memory_can_be_limited)) {  // a sanitizer must be the first library
  const Bench place(true);
  const Ended missing = place.run("show its environment", {{"LD_PRELOAD", "/nonexistent.so"}});
  REQUIRE(missing.status == 0);
  CHECK_FALSE(contains(missing.out, "LD_PRELOAD"));
  CHECK_FALSE(contains(hf::load_record(place.record)["run"].dump(), "LD_PRELOAD"));
  const Bench other(true);
  const Ended loaded = other.run("show its environment", {{"LD_PRELOAD", "/nonexistent.so libm.so.6"}});
  REQUIRE(loaded.status == 0);
  CHECK(contains(loaded.out, "\nLD_PRELOAD=libm.so.6\n"));
  CHECK(contains(hf::load_record(other.record)["run"]["notes"].dump(), "measured with LD_PRELOAD set"));
}

TEST_CASE("a limit on addresses is in the record" * doctest::skip(!memory_can_be_limited)) {
  const Bench place(true);
  const auto limited = [] {
    const rlimit memory{std::size_t{32} << 30, std::size_t{32} << 30};
    setrlimit(RLIMIT_AS, &memory);
  };
  REQUIRE(place.run("", {}, limited).status == 0);
  CHECK(contains(hf::load_record(place.record)["run"]["notes"].dump(), "ulimit -v allows 32 GiB of addresses: "));
}

TEST_CASE("where ranks may not read each other's memory, Open MPI is told and the record says so") {
  CHECK(in_child([] {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = {std::size(filter), filter};
    unsetenv("OMPI_MCA_btl_vader_single_copy_mechanism");
    if (!hf::copy_without_reading_ranks().empty()) return true;  // refused here anyway
    if (std::getenv("OMPI_MCA_btl_vader_single_copy_mechanism") != nullptr) return false;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return true;  // no filters here
    return hf::copy_without_reading_ranks().starts_with("the system refuses process_vm_readv") &&
           std::getenv("OMPI_MCA_btl_vader_single_copy_mechanism") == std::string("none");
  }));
}

TEST_CASE("OpenMP's variables do not pin a lab, but a set of cores chosen for it is respected") {
  const std::vector<int>& cores = hf::usable_cores();
  for (const char* pins : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
    CAPTURE(pins);
    const Bench place(true);
    const std::string value = pins == std::string("GOMP_CPU_AFFINITY") ? std::to_string(cores.front()) : "true";
    REQUIRE(place.run("", {{pins, pins == std::string("OMP_PLACES") ? "{0}" : value}}).status == 0);
    CHECK(hf::load_record(place.record)["machine"]["cores"] == cores.size());
  }
  const Bench place(true);
  const auto on_one_core = [&] { keep_on_core(cores.back()); };
  REQUIRE(place.run("", {{"OMP_PROC_BIND", "true"}}, on_one_core).status == 0);
  CHECK(hf::load_record(place.record)["machine"]["cores"] == 1);
}

TEST_CASE("a team whose threads cannot be made is refused before anything is measured" *
          doctest::skip(!memory_can_be_limited)) {
  const Bench place(true);
  const Ended ended = place.run("", {}, [] {
    const rlimit stacks{1u << 30, 1u << 30}, memory{1200u << 20, 1200u << 20};  // with stacks of 1 GiB, few fit
    setrlimit(RLIMIT_STACK, &stacks);
    setrlimit(RLIMIT_AS, &memory);
  });
  CHECK(ended.status == 1);
  CHECK(contains(ended.err, "lab-99-tiny: only "));
  CHECK(contains(ended.err, "threads can be started: raise the limit (ulimit -u, ulimit -v, "));
  CHECK_FALSE(contains(ended.out, "noise floor"));
  CHECK(content(place.record) == "old");
}

TEST_CASE("a probe that crashes leaves no core file") {
  const Bench place(true);
  const Ended ended = place.run("probe", {}, [] {
    rlimit limit = {};
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
  });
  CHECK(ended.err == "");
  CHECK(ended.status == 0);
}

TEST_CASE("what a lab's programs leave in the folder for temporary files goes with the lab") {
  for (const char* does : {"leave files", "help"}) {
    CAPTURE(does);
    const Bench place(true);
    Process lab(place.command(), place.environment(does));
    if (does == std::string("help")) {
      lab.wait_until_it_says("sum, about");
      lab.signal(SIGTERM);
    }
    lab.wait();
    CHECK(names_in(place.folder.path()) == lock_and_records);
  }
}

TEST_CASE("a lab's folder for temporary files has a path that leaves room for sockets, wherever it is") {
  for (const std::size_t length : {1, 100}) {
    const Bench place(true);
    const fs::path deep = place.folder.path() / std::string(length, 'x');
    fs::create_directory(deep);
    const Ended ended = place.run("show its environment", {{"TMPDIR", deep.string()}});
    REQUIRE(ended.status == 0);
    const std::size_t at = ended.out.find("\nTMPDIR=") + 1;
    CHECK(ended.out.find('\n', at) - at < 70);
    CHECK(place.run("leave files", {{"TMPDIR", deep.string()}}).status == 0);
    CHECK(names_in(deep) == std::set<std::string>{"hardware-first.lock"});
  }
}

TEST_CASE("copies of a lab that srun starts without ranks are refused, and a lab in a shell of srun's is not") {
  const Bench place(true);
  const auto started_by = [&](const std::string& parent, std::map<std::string, std::string> variables) {
    const fs::path shell = place.folder.path() / parent;
    fs::copy_file("/bin/sh", shell, fs::copy_options::overwrite_existing);
    std::string words;
    for (const std::string& word : place.command()) words += "'" + word + "' ";
    return ::run({shell.string(), "-c", words + "; exit $?"}, place.environment("", std::move(variables)));
  };
  const Ended copy = started_by("slurmstepd", {{"SLURM_STEP_NUM_TASKS", "4"}});
  CHECK(copy.status == 1);
  CHECK(copy.err ==
        "lab-99-tiny: srun started 4 copies, but a lab needs the machine for itself: use srun -n 1, or, for the ranks "
        "of lab-05, srun --mpi=pmix; nothing was measured\n");
  CHECK(content(place.record) == "old");
  CHECK(started_by("slurmstepd", {{"SLURM_STEP_NUM_TASKS", "1"}}).status == 0);
  CHECK(started_by("slurmstepd", {{"SLURM_STEP_NUM_TASKS", "4"}, {"PMIX_RANK", "0"}}).status == 0);
  CHECK(started_by("bash", {{"SLURM_STEP_NUM_TASKS", "4"}}).status == 0);
}

// The thread sanitizer delays signals until a thread calls a function that waits.
TEST_CASE("a lab that spins ends at a signal, with its children, and names its step" *
          doctest::skip(threads_sanitized)) {
  for (const int number : {SIGINT, SIGTERM}) {
    const Bench place(true);
    Process lab(place.command(), place.environment("spin"));
    lab.wait_until_it_says("sum, about");
    lab.signal(number);
    const Ended ended = lab.wait();
    CHECK(ended.status == 130);
    CHECK(ended.err == "lab-99-tiny: interrupted during \"sum\"; the previous record is unchanged\n");
    CHECK(content(place.record) == "old");
    CHECK(place.none_is_left());
  }
}

TEST_CASE("a lab that makes no progress ends, with its children, and names its step" *
          doctest::skip(threads_sanitized)) {
  const Bench place(true);
  const Ended ended = place.run("spin", {{"PRESS_PATIENCE", "1"}});
  CHECK(ended.status == 1);
  CHECK(ended.err ==
        "lab-99-tiny: no progress during \"sum\" for 1 s, so the lab was stopped; the previous record is unchanged\n");
  CHECK(content(place.record) == "old");
  CHECK(place.none_is_left());
}

TEST_CASE("a lab that is stopped for longer than its patience continues" * doctest::skip(threads_sanitized)) {
  const Bench place(true);
  Process lab(place.command(), place.environment("wait", {{"PRESS_PATIENCE", "1"}}));
  lab.wait_until_it_says("sum, about");
  lab.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  lab.signal(SIGCONT);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  lab.signal(SIGINT);
  CHECK(lab.wait().err == "lab-99-tiny: interrupted; the previous record is unchanged\n");
}

TEST_CASE("the variables of a library are listed by their beginnings") {
  CHECK(in_child([] {
    setenv("OMPI_MCA_test_one", "1", 1);
    setenv("OPAL_PREFIX", "1", 1);
    const std::string list = hf::variables_that_begin_with({"OMPI_MCA_test", "OPAL_"});
    return list == "OMPI_MCA_test_one, OPAL_PREFIX" || list == "OPAL_PREFIX, OMPI_MCA_test_one";
  }));
}
