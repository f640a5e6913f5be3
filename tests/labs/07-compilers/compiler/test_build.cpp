// What can go wrong between a graph and its program: each time the result is the eager one, and one line says why.
#include "07-compilers/kernels/compiler/build.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "graphs.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/report/lock.hpp"
#include "kit/loop_team.hpp"
#include "process.hpp"
#include "suite.hpp"

using namespace hf;
using namespace hf::compilers;
namespace fs = std::filesystem;

namespace {

std::vector<float> eager_result(const Graph& graph) { return result_of(Eager(graph), graph, Inputs(graph)); }

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == std::string::npos; }

/// Checks that the graph runs eagerly, with exactly that result, and that one line says why.
void check_falls_back(const Graph& graph, const CompileOptions& options, const std::string& why) {
  Compiled compiled(graph, options);
  CHECK_FALSE(compiled.is_compiled());
  CHECK(is_one_line(compiled.remark()));
  CAPTURE(compiled.remark());
  CHECK(contains(compiled.remark(), why));
  CHECK(result_of(compiled, graph, Inputs(graph)) == eager_result(graph));
}

/// Checks that the graph is compiled, is right, and that a line says this, or nothing.
void check_compiles(const Graph& graph, CompileOptions options, const std::string& remark) {
  options.seconds = 600;  // so that a busy machine fails no test
  Compiled compiled(graph, options);
  CAPTURE(compiled.remark());
  CHECK(compiled.is_compiled());
  CHECK((remark.empty() ? compiled.remark().empty() : is_one_line(compiled.remark())));
  CHECK(contains(compiled.remark(), remark));
  CHECK(result_of(compiled, graph, Inputs(graph)) == eager_result(graph));
}

/// relu(x) · 0.5 + 1: for every number, the fused loop and the eager operators give the same bits.
Graph chain() { return chain_of_three({33, 65}); }

void overwrite(const fs::path& file, const std::string& bytes) {
  const fs::path other = file.string() + ".new";  // the old one may be loaded
  std::ofstream(other, std::ios::binary) << bytes;
  fs::rename(other, file);
}

std::size_t count(const fs::path& folder, const std::string& ending) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    count += entry.path().string().ends_with(ending);
  return count;
}

/// A program that poses as a compiler, and does not answer questions.
std::string compiler_that(const ScratchFolder& folder, const std::string& does) {
  const fs::path script = folder.path() / "c++";
  std::ofstream(script) << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'c++ 1.0' && exit\n"
                           "case \"$*\" in *-###*|*-print-*) exit;; esac\n"
                        << does << '\n';
  fs::permissions(script, fs::perms::owner_all);
  return script.string();
}

/// A compiler's last argument but one is the source here, the one before it the output.
const std::string find_output = "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && output=$2; shift; done; ";

/// Starts another program, writes both process ids to a file, and waits.
std::string hangs_and_tells(const fs::path& pids, const std::string& which) {
  const std::string file = pids.string();
  return "sleep 1000 & echo " + which + " > " + file + ".new; mv " + file + ".new " + file + "; wait";
}

/// Checks that the processes in such a file end. \return how many there are
int all_end(const fs::path& pids) {
  std::ifstream in(pids);
  int processes = 0;
  for (pid_t pid = 0; in >> pid; ++processes) CHECK(ends(pid));
  return processes;
}

}  // namespace

TEST_CASE("A graph that cannot be compiled runs eagerly, and says which operator or limit it was") {
  const ScratchFolder cache;
  Graph input;
  input.input({3, 4});
  check_falls_back(input, {.folder = cache.path()}, "nothing in it to compute");

  Graph large;
  Ref last = large.input({2, 3});
  for (int i = 0; i < 1000; ++i) last = large.add(Op::relu, {last});
  check_falls_back(large, {.folder = cache.path()}, "1001 operators, and at most 1000");

  check_falls_back(chain_of_three({1, 9}), {.any_rows = true, .folder = cache.path()}, "one row");
  check_falls_back(one_operator(Op::matmul, {{1, 7}, {7, 5}}), {.any_rows = true, .folder = cache.path()},
                   "any number of rows");
  Graph gram;  // relu(x) · relu(x)
  const Ref x = gram.add(Op::relu, {gram.input({6, 6})});
  gram.add(Op::matmul, {x, x});
  check_falls_back(gram, {.any_rows = true, .folder = cache.path()}, "%2 = matmul has them in its second operand");

  Graph unknown;
  unknown.add(static_cast<Op>(99), {unknown.input({3, 4})});
  CHECK_THROWS_WITH_AS(emit(make_plan(unknown, false, 0)), "operator ? (%1) has no code; write its line in emit.cpp",
                       std::invalid_argument);
  Compiled compiled(unknown, {.folder = cache.path()});
  CHECK(contains(compiled.remark(), "has no code"));

  Compiled nothing{Graph(), {.folder = cache.path()}};
  CHECK(contains(nothing.remark(), "nothing in it to compute"));
}

TEST_CASE("Without a compiler that works, a graph runs eagerly and one line says what the compiler did") {
  const ScratchFolder cache, folder;
  const auto options = [&](const std::string& compiler) {
    return CompileOptions{.seconds = 600, .compiler = compiler, .folder = cache.path()};
  };
  check_falls_back(chain(), options("/nowhere/c++"), "compiler /nowhere/c++: ");
  check_falls_back(chain(), options(" "), "its name is empty");
  check_falls_back(chain(), options("false"), "compiler false: failed");
  const auto fake = [&](const std::string& does) { return options(compiler_that(folder, does)); };
  check_falls_back(chain(), fake("echo 'x.cpp:3:1: error: no' >&2; echo more >&2; exit 1"), "failed: error: no;");
  check_falls_back(chain(), fake("exit 3"), "failed: it says nothing");
  check_falls_back(chain(), fake(find_output + "echo half > \"$output\"; kill -9 $$"), "failed");
  check_falls_back(chain(), fake("exit 0"), "wrote nothing");
  check_falls_back(chain(), fake(find_output + "echo no library > \"$output\""), "cannot be loaded");
  CHECK(fs::is_empty(cache.path()));
}

TEST_CASE("A compiler that hangs is stopped, with all that it started") {
  const ScratchFolder cache, folder;
  const fs::path pids = folder.path() / "pids";
  const std::string compiler = compiler_that(folder, hangs_and_tells(pids, "$! $$"));
  enough_seconds([&](int seconds) {
    const double patience = seconds;
    check_falls_back(chain(), {.seconds = patience, .compiler = compiler, .folder = cache.path()},
                     "stopped after " + std::to_string(seconds) + " s");
    return fs::exists(pids);
  });
  CHECK(all_end(pids) == 2);
}

TEST_CASE("What hangs, or crashes, when it is loaded is stopped, and not kept") {
  const ScratchFolder cache, folder;
  const std::vector<std::string> ours = find_toolchain("").command;
  const auto library_that = [&](const std::string& does) {
    overwrite(folder.path() / "x.cpp",
              "extern \"C\" int raise(int); [[gnu::constructor]] static void begin() { " + does + " }");
    std::vector<std::string> command = ours;
    const std::string library = (folder.path() / "x.so").string();
    command.insert(command.end(), {"-shared", "-fPIC", "-o", library, (folder.path() / "x.cpp").string()});
    run_compiler(command, 600);
    return compiler_that(folder, find_output + "cp " + library + " \"$output\"");
  };
  const std::string hangs = library_that("for (volatile int i = 0;; i = i + 1) {}");
  enough_seconds([&](int seconds) {
    const double patience = seconds;
    const Compiled compiled(chain(), {.seconds = patience, .compiler = hangs, .folder = cache.path()});
    CHECK_FALSE(compiled.is_compiled());
    CAPTURE(compiled.remark());
    CHECK(contains(compiled.remark(), "stopped after " + std::to_string(seconds) + " s"));
    return contains(compiled.remark(), "loading what it built: stopped");
  });
  const std::string ends = library_that("raise(9);");
  check_falls_back(chain(), {.seconds = 600, .compiler = ends, .folder = cache.path()},
                   "loading what it built: was ended by signal 9");
  CHECK(fs::is_empty(cache.path()));
}

TEST_CASE("A lab that is killed while a compiler runs leaves no process, no lock and no file") {
  const ScratchFolder cache, drafts, folder;
  const fs::path pids = folder.path() / "pids", lock = folder.path() / "lock";
  const std::string compiler =
      compiler_that(folder, find_output + ": > \"$output\"; " + hangs_and_tells(pids, "$! $$ $PPID"));
  const pid_t lab = fork();
  if (lab == 0) {
    setenv("TMPDIR", drafts.path().c_str(), 1);
    const MeasuringLock measuring({}, lock);
    const Compiled never(chain(), {.seconds = 600, .compiler = compiler, .folder = cache.path()});
    _exit(0);
  }
  for (int i = 0; i < 6000 && !fs::exists(pids); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(lab, SIGKILL);
  waitpid(lab, nullptr, 0);
  CHECK(all_end(pids) == 3);
  for (const ScratchFolder* each : {&cache, &drafts}) CHECK(fs::is_empty(each->path()));
  bool waited = false;
  const MeasuringLock measuring([&](double) { waited = true; }, lock);
  CHECK(!waited);
}

TEST_CASE("Where the library cannot be written, a graph runs eagerly") {
  check_falls_back(chain(), {.seconds = 600, .folder = "/proc/self"}, "cannot be written; make room, or name another");
}

TEST_CASE("What was built is loaded the second time, and what is built in another way lies beside it") {
  const ScratchFolder folder;
  const Toolchain ours = find_toolchain("");
  const std::string source = prelude() + "extern \"C\" int loop_0() { return 7; }\n";
  Toolchain command = ours, flags = ours;
  command.command.insert(command.command.begin(), "env");
  flags.flags.emplace_back("-g0");
  std::size_t libraries = 0;
  for (const Toolchain& each : {ours, command, flags}) {
    const fs::path library = build(source, each, folder.path(), 600).library;
    CHECK(count(folder.path(), ".so") == ++libraries);
    const auto written = fs::last_write_time(library);
    CHECK(build(source, each, folder.path(), 600).library == library);
    CHECK(fs::last_write_time(library) == written);
  }
}

TEST_CASE("Processes and threads that build the same graph at once all have it in the end") {
  const ScratchFolder cache;
  const Graph graph = chain();
  const std::vector<float> expected = eager_result(graph);
  const auto is_right = [&] {
    const OneCore alone;
    Compiled compiled(graph, {.seconds = 600, .folder = cache.path()});
    return compiled.is_compiled() && compiled.remark().empty() && result_of(compiled, graph, Inputs(graph)) == expected;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    children.push_back(fork());
    if (children.back() == 0) _exit(is_right() ? 0 : 1);
  }
  bool thread_is_right = false;
  std::thread thread([&] { thread_is_right = is_right(); });
  CHECK(is_right());
  thread.join();
  CHECK(thread_is_right);
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(count(cache.path(), ".so") == 1);
}

TEST_CASE("The compiler's name may have several words, and runs no other command") {
  const ScratchFolder cache;
  const std::string ours = find_toolchain("").command[0];
  check_compiles(chain(), {.compiler = "env LC_ALL=C A='b c' " + ours, .folder = cache.path()}, "");
  CHECK(find_toolchain("env A='b c' \"" + ours + "\"").command == std::vector<std::string>{"env", "A=b c", ours});
  const fs::path never = cache.path() / "never";
  for (const char* run : {"$(touch ", "`touch ", "c++ ; touch ", "c++ | touch ", "c++ > ", "'c++ "}) {
    CHECK_THROWS_AS(find_toolchain(run + never.string()), BuildError);
    CHECK_FALSE(fs::exists(never));
  }
}
