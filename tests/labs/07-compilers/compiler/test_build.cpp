// What can go wrong between a graph and its program: each time the result is the eager one, and one line says why.
#include "07-compilers/kernels/compiler/build.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
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
#include "common/loop_team.hpp"
#include "graphs.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/report/lock.hpp"
#include "process.hpp"
#include "suite.hpp"

using namespace hf;
using namespace hf::compilers;
namespace fs = std::filesystem;

namespace {

std::vector<float> eager_result(const Graph& graph) {
  const Inputs inputs(graph);
  std::vector<float> result(graph.result_shape().numbers());
  Eager(graph).run(inputs.pointers(), result.data());
  return result;
}

std::vector<float> result_of(Compiled& compiled, const Graph& graph) {
  const Inputs inputs(graph);
  std::vector<float> result(graph.result_shape().numbers());
  compiled.run(inputs.pointers(), result.data());
  return result;
}

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == std::string::npos; }

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

/// Checks that the graph runs eagerly, with exactly that result, and that one line says why.
void check_falls_back(const Graph& graph, const CompileOptions& options, const std::string& why) {
  Compiled compiled(graph, options);
  CHECK_FALSE(compiled.is_compiled());
  CHECK(is_one_line(compiled.remark()));
  CAPTURE(compiled.remark());
  CHECK(says(compiled.remark(), why));
  CHECK(result_of(compiled, graph) == eager_result(graph));
}

/// Checks that the graph is compiled, is right, and that a line says this, or nothing.
void check_compiles(const Graph& graph, CompileOptions options, const std::string& remark) {
  options.seconds = 600;  // so that a busy machine fails no test
  Compiled compiled(graph, options);
  CAPTURE(compiled.remark());
  CHECK(compiled.is_compiled());
  CHECK_FALSE(compiled.is_from_cache());
  CHECK((remark.empty() ? compiled.remark().empty() : is_one_line(compiled.remark())));
  CHECK(says(compiled.remark(), remark));
  CHECK(result_of(compiled, graph) == eager_result(graph));
}

/// relu(x) · 0.5 + 1: for every number, the fused loop and the eager operators give the same bits.
Graph chain() { return chain_of_three({33, 65}); }

/// Waits for a process to end, even if it is not our child.
bool ends(pid_t pid) {
  const auto is_there = [&] {  // a process that was not waited for is a zombie, state Z
    const std::string status = content("/proc/" + std::to_string(pid) + "/stat");
    return !status.empty() && !says(status, ") Z ");
  };
  for (int i = 0; i < 1000 && is_there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !is_there();
}

void set_age(const fs::path& file, std::chrono::hours age) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - age);
}

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

fs::path only_library(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".so") return entry.path();
  }
  return {};
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

/// The system's compiler, building nothing twice: tests of the cache are about when something is built, not how.
const std::string& sparing_compiler() {
  static const ScratchFolder folder;
  static const std::string compiler = [] {
    std::string ours;
    for (const std::string& word : find_toolchain("", 600).command) ours += word + ' ';
    const std::string kept = folder.path().string() + "/$(cksum < \"$1\" | tr ' ' -)";
    return compiler_that(folder, "all=$*; " + find_output + "kept=" + kept + "; [ -f \"$kept\" ] || { " + ours +
                                     "$all && cp \"$output\" \"$kept.$$\" && mv \"$kept.$$\" \"$kept\"; exit; }; " +
                                     "cp \"$kept\" \"$output\"");
  }();
  return compiler;
}

CompileOptions into(const fs::path& cache) { return {.seconds = 600, .compiler = sparing_compiler(), .cache = cache}; }

}  // namespace

TEST_CASE("A graph that cannot be compiled runs eagerly, and says which operator or limit it was") {
  const ScratchFolder cache;
  Graph input;
  input.input({3, 4});
  check_falls_back(input, {.cache = cache.path()}, "nothing in it to compute");

  Graph large;
  Ref last = large.input({2, 3});
  for (int i = 0; i < 1000; ++i) last = large.add(Op::relu, {last});
  check_falls_back(large, {.cache = cache.path()}, "1001 operators, and at most 1000");

  check_falls_back(chain_of_three({1, 9}), {.any_rows = true, .cache = cache.path()}, "one row");
  check_falls_back(one_operator(Op::matmul, {{1, 7}, {7, 5}}), {.any_rows = true, .cache = cache.path()},
                   "any number of rows");
  Graph gram;  // relu(x) · relu(x)
  const Ref x = gram.add(Op::relu, {gram.input({6, 6})});
  gram.add(Op::matmul, {x, x});
  check_falls_back(gram, {.any_rows = true, .cache = cache.path()}, "%2 = matmul has them in its second operand");

  Graph unknown;
  unknown.add(static_cast<Op>(99), {unknown.input({3, 4})});
  CHECK_THROWS_WITH_AS(emit(make_plan(unknown, false, 0)), "operator ? (%1) has no code; write its line in emit.cpp",
                       std::invalid_argument);
  Compiled compiled(unknown, {.cache = cache.path()});
  CHECK(says(compiled.remark(), "has no code"));

  Compiled nothing{Graph(), {.cache = cache.path()}};
  CHECK(says(nothing.remark(), "nothing in it to compute"));
}

TEST_CASE("Without a compiler that works, a graph runs eagerly and one line says what the compiler did") {
  const ScratchFolder cache, folder;
  const auto options = [&](const std::string& compiler) {
    return CompileOptions{.seconds = 600, .compiler = compiler, .cache = cache.path()};
  };
  check_falls_back(chain(), options("/nowhere/c++"), "compiler /nowhere/c++: ");
  check_falls_back(chain(), options(" "), "its name is empty");
  check_falls_back(chain(), options("false"), "compiler false: failed");
  const auto fake = [&](const std::string& does) { return options(compiler_that(folder, does)); };
  check_falls_back(chain(), fake("echo 'x.cpp:3:1: error: no' >&2; echo more >&2; exit 1"), "failed: error: no;");
  check_falls_back(chain(), fake("exit 3"), "failed: it says nothing");
  check_falls_back(chain(), fake("kill -9 $$"), "failed");
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
    check_falls_back(chain(), {.seconds = patience, .compiler = compiler, .cache = cache.path()},
                     "stopped after " + std::to_string(seconds) + " s");
    return fs::exists(pids);
  });
  std::ifstream in(pids);
  int processes = 0;
  for (pid_t pid = 0; in >> pid; ++processes) CHECK(ends(pid));
  CHECK(processes == 2);
}

TEST_CASE("What hangs, or crashes, when it is loaded is stopped, and not kept") {
  const ScratchFolder cache, folder;
  const std::vector<std::string> ours = find_toolchain("", 600).command;
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
    const Compiled compiled(chain(), {.seconds = patience, .compiler = hangs, .cache = cache.path()});
    CHECK_FALSE(compiled.is_compiled());
    CAPTURE(compiled.remark());
    CHECK(says(compiled.remark(), "stopped after " + std::to_string(seconds) + " s"));
    return says(compiled.remark(), "loading what it built: stopped");
  });
  const std::string ends = library_that("raise(9);");
  check_falls_back(chain(), {.seconds = 600, .compiler = ends, .cache = cache.path()},
                   "loading what it built: was ended by signal 9");
  CHECK(fs::is_empty(cache.path()));
}

TEST_CASE("A lab that is killed while a compiler runs leaves no process, no lock and no file") {
  const ScratchFolder cache, folder;
  const fs::path pids = folder.path() / "pids", lock = folder.path() / "lock";
  const std::string compiler =
      compiler_that(folder, find_output + ": > \"$output\"; " + hangs_and_tells(pids, "$! $$ $PPID"));
  const pid_t lab = fork();
  if (lab == 0) {
    const MeasuringLock measuring({}, lock);
    const Compiled never(chain(), {.seconds = 600, .compiler = compiler, .cache = cache.path()});
    _exit(0);
  }
  for (int i = 0; i < 6000 && !fs::exists(pids); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(lab, SIGKILL);
  waitpid(lab, nullptr, 0);
  std::ifstream in(pids);
  int processes = 0;
  for (pid_t pid = 0; in >> pid; ++processes) CHECK(ends(pid));
  CHECK(processes == 3);
  CHECK(fs::is_empty(cache.path()));
  bool waited = false;
  const MeasuringLock measuring([&](double) { waited = true; }, lock);
  CHECK(!waited);
}

TEST_CASE("Where the cache cannot be written, a graph runs eagerly") {
  const ScratchFolder folder;
  overwrite(folder.path() / "file", "a file");
  check_falls_back(chain(), {.cache = folder.path() / "file"}, "is no folder");
  check_falls_back(chain(), {.cache = folder.path() / "file" / "cache"}, "is no folder");
  check_falls_back(chain(), {.cache = "/proc/hardware-first"}, "cannot be made");
  check_falls_back(chain(), {.cache = "/proc/self"}, "name another folder in HARDWARE_FIRST_CACHE");
  CHECK_THROWS_AS(Cache("/proc").check_writable(), BuildError);
  const fs::path mine = folder.path() / "mine";
  CHECK_NOTHROW(Cache(mine).check_writable());
  CHECK(fs::is_empty(mine));
  CHECK((fs::status(mine).permissions() & fs::perms::all) == fs::perms::owner_all);
  fs::permissions(mine, fs::perms::owner_read | fs::perms::owner_exec);
  if (geteuid() != 0) {
    check_falls_back(chain(), {.cache = mine}, "cannot be written to");
    CHECK_THROWS_AS(Cache(mine).check_writable(), BuildError);
  }
  check_compiles(chain(), into(folder.path() / "a" / "new" / "one/"), "");
}

TEST_CASE("The lab says that its cache cannot be used before it measures") {
  const ScratchFolder folder;
  const fs::path shared = folder.path() / "shared", out = folder.path() / "out";
  fs::create_directory(shared);
  fs::permissions(shared, fs::perms::all);
  const Ended ended = run({LAB, "--budget", "quick", "--out", out.string()},
                          {{"HARDWARE_FIRST_CACHE", shared.string()}, {"TMPDIR", folder.path().string()}});
  CHECK(ended.status == 1);
  CHECK(ended.err ==
        "lab-07-compilers: cache " + shared.string() +
            ": others may write there; delete the folder, or name another folder in HARDWARE_FIRST_CACHE\n");
  CHECK_FALSE(fs::exists(out / "07-compilers.json"));
}

TEST_CASE("A folder that others could have filled, or put in the place of another, is no cache") {
  const ScratchFolder folder;
  const fs::path shared = folder.path() / "shared", cache = shared / "cache", link = folder.path() / "link";
  const auto refuses = [&](const fs::path& what, const std::string& why) {
    CAPTURE(what);
    check_falls_back(chain(), {.cache = what}, why);
    CHECK(fs::is_empty(cache));
  };
  fs::create_directories(cache);
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(cache, fs::perms::owner_all | others);
    refuses(cache, "others may write there; delete the folder, or name another");
    fs::permissions(cache, fs::perms::owner_all);
    fs::permissions(shared, fs::perms::owner_all | others);
    refuses(cache, "others may write in " + shared.string());
    refuses(cache / "new", "others may write in " + shared.string());
    fs::create_directory_symlink(cache, link);
    refuses(link, "others may write in " + shared.string());
    fs::remove(link);
    fs::permissions(shared, fs::perms::owner_all | others | fs::perms::sticky_bit);  // as /tmp
    CHECK_NOTHROW(Cache{cache});
    fs::permissions(shared, fs::perms::owner_all);
  }
  fs::create_directory_symlink("shared/cache", link);
  CHECK_NOTHROW(Cache{link});
  fs::create_directory_symlink("itself", folder.path() / "itself");
  refuses(folder.path() / "itself", "is a link to itself");
  CHECK(in_child([] {  // a folder of root's is not this user's
    if (geteuid() == 0 && seteuid(65534) != 0) return false;
    try {
      const Cache usr("/usr");
    } catch (const BuildError& error) {
      return says(error.what(), "cache /usr: is another user's");
    }
    return false;
  }));
  if (geteuid() != 0) return;  // only root can create another user's files
  constexpr uid_t nobody = 65534;
  REQUIRE(lchown(link.c_str(), nobody, nobody) == 0);
  refuses(link, link.string() + " is another user's");
  for (const fs::path& theirs : {shared, cache}) {
    REQUIRE(chown(theirs.c_str(), nobody, nobody) == 0);
    refuses(cache, "is another user's");
    REQUIRE(chown(theirs.c_str(), 0, 0) == 0);
  }
}

TEST_CASE("An entry that others could have written is not loaded, and the remedy does not trust it") {
  const ScratchFolder cache, folder;
  check_compiles(chain(), into(cache.path()), "");
  const fs::path library = only_library(cache.path()), elsewhere = folder.path() / "elsewhere.so";
  const auto refuses = [&](const std::string& why) {
    check_falls_back(chain(), into(cache.path()), library.string() + ": " + why + "; delete the folder, or name");
  };
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(library, fs::perms::owner_all | others);
    refuses("others may have written it");
    fs::permissions(library, fs::perms::owner_all);
  }
  if (geteuid() == 0) {
    REQUIRE(chown(library.c_str(), 65534, 65534) == 0);
    refuses("others may have written it");
    REQUIRE(chown(library.c_str(), 0, 0) == 0);
  }
  CHECK(Compiled(chain(), into(cache.path())).is_from_cache());
  fs::rename(library, elsewhere);
  fs::create_symlink(elsewhere, library);
  refuses("is a link");
  fs::remove(library);
  REQUIRE(mkfifo(library.c_str(), 0600) == 0);
  refuses("is no file");
}

TEST_CASE("The second time nothing is built") {
  const ScratchFolder cache;
  check_compiles(chain(), into(cache.path()), "");
  CHECK(count(cache.path(), ".so") == 1);
  CHECK(count(cache.path(), ".cpp") == 1);
  Compiled again(chain(), into(cache.path()));
  CHECK(again.is_from_cache());
  CHECK(again.remark().empty());
  CHECK(result_of(again, chain()) == eager_result(chain()));
  CHECK(again.library() == only_library(cache.path()));
  check_compiles(chain_of_three({33, 66}), into(cache.path()), "");  // the other is still there
  CHECK(count(cache.path(), ".so") == 2);
}

TEST_CASE("A damaged entry is built anew, and a line says so") {
  const ScratchFolder cache;
  check_compiles(chain(), into(cache.path()), "");
  const fs::path library = only_library(cache.path());
  const std::string whole = content(library);
  std::string changed = whole, other_seal = whole;
  changed[whole.size() / 2] ^= 1;
  other_seal.back() ^= 1;
  for (const std::string& bytes : {std::string(), whole.substr(0, 100), whole.substr(0, whole.size() - 1),
                                   whole.substr(0, whole.size() / 2), whole + "x", changed, other_seal}) {
    overwrite(library, bytes);
    check_compiles(chain(), into(cache.path()), "damaged; built anew");
    CHECK(Compiled(chain(), into(cache.path())).is_from_cache());
  }
  fs::remove(library);
  fs::create_directory(library);  // something that cannot be replaced
  check_falls_back(chain(), into(cache.path()), "cache " + library.string());
}

TEST_CASE("What was built in different ways, or on another kind of machine, lies side by side") {
  const ScratchFolder cache;
  const Toolchain ours = find_toolchain("", 600);
  const std::string source = prelude() + "extern \"C\" int loop_0() { return 7; }\n";
  Toolchain command = ours, flags = ours, machine = ours;
  command.command.insert(command.command.begin(), "env");
  flags.flags.emplace_back("-g0");
  machine.identity += " more";
  std::size_t entries = 0;
  for (const Toolchain& each : {ours, command, flags, machine}) {
    const Built built = build(source, each, cache.path(), 600);
    CHECK(built.remark.empty());
    CHECK_FALSE(built.from_cache);
    CHECK(count(cache.path(), ".so") == ++entries);
  }
  for (const Toolchain& each : {ours, command, flags, machine})
    CHECK(build(source, each, cache.path(), 600).from_cache);
}

TEST_CASE("A toolchain's identity has its version, what native means, its assembler and where it looks for files") {
  const ScratchFolder folder;
  const std::string says_more = "#!/bin/sh\ncase \"$*\" in *--version) echo one;; *-###*) echo -march=$ARCH " +
                                (folder.path() / "as").string() + ";; *=as) echo " + (folder.path() / "as").string() +
                                ";; esac\n";
  const auto identity = [&](const std::string& assembler, const char* variable, const char* value) {
    for (const char* name : {"c++", "as"}) {
      overwrite(folder.path() / name, name[0] == 'c' ? says_more : "#!/bin/sh\necho " + assembler);
      fs::permissions(folder.path() / name, fs::perms::owner_all);
    }
    static int asked = 0;  // in a new way each time, because answers are cached
    setenv(variable, value, 1);
    const Toolchain found = find_toolchain((folder.path() / "c++").string() + " " + std::to_string(++asked), 600);
    unsetenv(variable);
    return found.identity;
  };
  CHECK(says(identity("as 2.40", "ARCH", "znver5"), "one\n-march=znver5"));
  CHECK(says(identity("as 2.40", "ARCH", ""), "as: as 2.40\n"));
  CHECK(says(identity("as 2.4", "ARCH", ""), "as: as 2.4\n"));
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"})
    CHECK(says(identity("", name, "/some/where"), std::string(name) + "=/some/where\n"));
}

TEST_CASE("What has not been used for a month goes with the next build, and so does what was given up a day ago") {
  using namespace std::chrono_literals;
  const ScratchFolder cache;
  const auto made = [&](const char* name, std::chrono::hours age, std::uintmax_t bytes = 1) {
    const fs::path file = cache.path() / name;
    overwrite(file, "x");
    fs::resize_file(file, bytes);  // with a hole
    set_age(file, age);
    return file;
  };
  const std::string key = "0123456789abcdef0123456789abcdef";
  const fs::path old = made((key + ".so").c_str(), 31 * 24h), old_source = made((key + ".cpp").c_str(), 31 * 24h),
                 former = made("029d02a81f833266-9cdb470265c1c4d0.so", 31 * 24h),
                 recent = made(("f" + key.substr(1) + ".so").c_str(), 29 * 24h),
                 given_up = made((key + ".of-1234-5.so").c_str(), 25h),
                 being_written = made((key + ".of-1234-6.so").c_str(), 1h), others = made("notes.cpp", 1000 * 24h);
  check_compiles(chain(), into(cache.path()), "");
  for (const fs::path& file : {old, old_source, former, given_up}) CHECK_FALSE(fs::exists(file));
  for (const fs::path& file : {recent, being_written, others}) CHECK(fs::exists(file));
  fs::path used;
  for (const fs::directory_entry& file : fs::directory_iterator(cache.path())) {
    if (file.path().extension() == ".so" && file.path() != recent && file.path() != being_written) used = file.path();
  }
  set_age(used, 40 * 24h);
  CHECK(Compiled(chain(), into(cache.path())).is_from_cache());
  check_compiles(chain_of_three({33, 66}), into(cache.path()), "");
  CHECK(fs::exists(used));  // used just now
  const fs::path large = made((key + ".so").c_str(), 2h, 300 << 20);
  check_compiles(chain_of_three({33, 67}), into(cache.path()), "");
  for (const fs::path& file : {large, recent}) CHECK_FALSE(fs::exists(file));  // and all that is older
  for (const fs::path& file : {used, being_written}) CHECK(fs::exists(file));
}

TEST_CASE("A compiler that is killed leaves no entry") {
  const ScratchFolder cache, folder;
  const std::string compiler = compiler_that(folder, find_output + "echo half > \"$output\"; kill -9 $$");
  check_falls_back(chain(), {.compiler = compiler, .cache = cache.path()}, "failed");
  CHECK(count(cache.path(), ".so") == 0);
  CHECK(count(cache.path(), ".cpp") == 0);
}

TEST_CASE("Processes and threads that build the same graph at once all have it in the end") {
  const ScratchFolder cache;
  const Graph graph = chain();
  const std::vector<float> expected = eager_result(graph);
  const auto is_right = [&] {
    const OneCore alone;
    Compiled compiled(graph, {.seconds = 600, .cache = cache.path()});
    return compiled.is_compiled() && compiled.remark().empty() && result_of(compiled, graph) == expected;
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
  CHECK(count(cache.path(), ".cpp") == 1);
}

TEST_CASE("The compiler's name may have several words, and the environment names compiler and cache") {
  const ScratchFolder cache;
  const std::string ours = find_toolchain("", 600).command[0];
  check_compiles(chain(), {.compiler = "env LC_ALL=C A='b c' " + ours, .cache = cache.path()}, "");
  CHECK(find_toolchain("env A='b c' \"" + ours + "\"", 600).command == std::vector<std::string>{"env", "A=b c", ours});
  const fs::path never = cache.path() / "never";
  for (const char* run : {"$(touch ", "`touch ", "c++ ; touch ", "c++ | touch ", "c++ > ", "'c++ "}) {
    CHECK_THROWS_AS(find_toolchain(run + never.string(), 600), BuildError);
    CHECK_FALSE(fs::exists(never));
  }
  const char* const before = std::getenv("HARDWARE_FIRST_CACHE");
  const std::string kept = before != nullptr ? before : "";
  setenv("HARDWARE_FIRST_CACHE", (cache.path() / "named").c_str(), 1);
  CHECK(default_cache() == cache.path() / "named");
  check_compiles(chain(), {}, "");
  CHECK(count(cache.path() / "named", ".so") == 1);
  before != nullptr ? setenv("HARDWARE_FIRST_CACHE", kept.c_str(), 1) : unsetenv("HARDWARE_FIRST_CACHE");
}
