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
#include <iterator>
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
#include "harness/scratch_folder.hpp"

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

/// That the graph runs eagerly, with exactly that result, and that one line says why.
void check_falls_back(const Graph& graph, const CompileOptions& options, const std::string& why) {
  Compiled compiled(graph, options);
  CHECK_FALSE(compiled.is_compiled());
  CHECK(is_one_line(compiled.remark()));
  CAPTURE(compiled.remark());
  CHECK(says(compiled.remark(), why));
  CHECK(result_of(compiled, graph) == eager_result(graph));
}

/// That the graph is compiled, is right, and that a line says this, or nothing.
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

/// relu(x) · 0.5 + 1: of every number the fused loop and the eager operators give the same bits.
Graph chain() { return chain_of_three({33, 65}); }

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
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

/// A program that stands in for a compiler.
std::string compiler_that(const ScratchFolder& folder, const std::string& does) {
  const fs::path script = folder.path() / "c++";
  std::ofstream(script) << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'c++ 1.0' && exit\n" << does << '\n';
  fs::permissions(script, fs::perms::owner_all);
  return script.string();
}

/// The last argument but one of a compiler here is its source, the one before what it writes.
const std::string find_output = "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && output=$2; shift; done; ";

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
  CHECK(count(cache.path(), ".of-" + std::to_string(getpid())) == 0);
  CHECK(count(cache.path(), ".so") == 0);
}

TEST_CASE("A compiler that hangs is stopped, with all that it started") {
  const ScratchFolder cache, folder;
  const std::string pids = (folder.path() / "pids").string();
  const std::string compiler = compiler_that(folder, "sleep 1000 & echo $! $$ > " + pids + "; wait");
  const auto start = std::chrono::steady_clock::now();
  check_falls_back(chain(), {.seconds = 1, .compiler = compiler, .cache = cache.path()}, "stopped after 1 s");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(500));
  std::ifstream in(pids);
  for (pid_t pid = 0; in >> pid;) {
    const auto is_there = [&] {  // what nobody has waited for is there as a zombie, state Z
      const std::string status = contents("/proc/" + std::to_string(pid) + "/stat");
      return !status.empty() && !says(status, ") Z ");
    };
    for (int i = 0; i < 1000 && is_there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK_FALSE(is_there());
  }
}

TEST_CASE("Where the cache cannot be written or others may write there, a graph runs eagerly") {
  const ScratchFolder folder;
  overwrite(folder.path() / "file", "a file");
  check_falls_back(chain(), {.cache = folder.path() / "file"}, "is no folder");
  check_falls_back(chain(), {.cache = folder.path() / "file" / "cache"}, "cannot be made");
  check_falls_back(chain(), {.cache = "/proc/hardware-first"}, "cannot be made");
  const fs::path shared = folder.path() / "shared";
  fs::create_directory(shared);
  fs::permissions(shared, fs::perms::all);
  check_falls_back(chain(), {.cache = shared}, "others may write there");
  const fs::path read_only = folder.path() / "read-only";
  fs::create_directory(read_only);
  fs::permissions(read_only, fs::perms::owner_read | fs::perms::owner_exec);
  if (geteuid() != 0) check_falls_back(chain(), {.cache = read_only}, "cannot be written to");
  check_compiles(chain(), {.cache = folder.path() / "a" / "new" / "one"}, "");
}

TEST_CASE("The second time nothing is built") {
  const ScratchFolder cache;
  check_compiles(chain(), {.cache = cache.path()}, "");
  CHECK(count(cache.path(), ".so") == 1);
  CHECK(count(cache.path(), ".cpp") == 1);
  Compiled again(chain(), {.seconds = 600, .cache = cache.path()});
  CHECK(again.is_from_cache());
  CHECK(again.remark().empty());
  CHECK(result_of(again, chain()) == eager_result(chain()));
  CHECK(again.library() == only_library(cache.path()));
  check_compiles(chain_of_three({33, 66}), {.cache = cache.path()}, "");  // the other is still there
  CHECK(count(cache.path(), ".so") == 2);
}

TEST_CASE("A damaged entry is built anew, and a line says so") {
  const ScratchFolder cache;
  check_compiles(chain(), {.cache = cache.path()}, "");
  const fs::path library = only_library(cache.path());
  const std::string whole = contents(library);
  std::string changed = whole, other_seal = whole;
  changed[whole.size() / 2] ^= 1;
  other_seal.back() ^= 1;
  for (const std::string& bytes : {std::string(), whole.substr(0, 100), whole.substr(0, whole.size() - 1),
                                   whole.substr(0, whole.size() / 2), whole + "x", changed, other_seal}) {
    overwrite(library, bytes);
    check_compiles(chain(), {.cache = cache.path()}, "damaged; built anew");
    CHECK(Compiled(chain(), {.cache = cache.path()}).is_from_cache());
  }
  fs::remove(library);
  fs::create_directory(library);  // what cannot be replaced
  check_falls_back(chain(), {.cache = cache.path()}, "cache " + library.string());
}

TEST_CASE(
    "An entry of another compiler, version, flags or machine is out of date: it is built anew, and a line says so") {
  const ScratchFolder cache;
  const Toolchain ours = find_toolchain("", 600);
  const std::string source = prelude() + "extern \"C\" int loop_0() { return 7; }\n";
  Toolchain version = ours, flags = ours, machine = ours;
  version.version += " of old";
  flags.flags.emplace_back("-g0");
  machine.instruction_sets += " more";
  CHECK(build(source, ours, cache.path(), 600).remark.empty());
  for (const Toolchain& other : {version, flags, machine}) {
    const Built built = build(source, other, cache.path(), 600);
    CHECK(is_one_line(built.remark));
    CHECK(says(built.remark, "another version, other flags or another machine; built anew"));
    CHECK_FALSE(built.from_cache);
    CHECK(build(source, other, cache.path(), 600).from_cache);
    CHECK(count(cache.path(), ".so") == 1);
    CHECK(says(build(source, ours, cache.path(), 600).remark, "built anew"));
  }
  Toolchain named = ours;  // another compiler is not an older one: both keep what they built
  named.command.insert(named.command.begin(), "env");
  CHECK(build(source, named, cache.path(), 600).remark.empty());
  CHECK(build(source, ours, cache.path(), 600).from_cache);
}

TEST_CASE("What a killed process left half written is not taken for an entry, and goes with the next build") {
  const ScratchFolder cache;
  check_compiles(chain(), {.cache = cache.path()}, "");
  const fs::path library = only_library(cache.path());
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);  // its number is nobody's now
  const std::string stem = library.string().substr(0, library.string().size() - 3);
  const fs::path abandoned = stem + ".of-" + std::to_string(child) + "-0.so",
                 mine = stem + ".of-" + std::to_string(getpid()) + "-99.so";
  fs::rename(library, abandoned);
  overwrite(mine, "being written");
  check_compiles(chain(), {.cache = cache.path()}, "");
  CHECK_FALSE(fs::exists(abandoned));
  CHECK(fs::exists(mine));
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
  check_compiles(chain(), {.compiler = "env LC_ALL=C " + ours, .cache = cache.path()}, "");
  const char* const before = std::getenv("HARDWARE_FIRST_CACHE");
  const std::string kept = before != nullptr ? before : "";
  setenv("HARDWARE_FIRST_CACHE", (cache.path() / "named").c_str(), 1);
  CHECK(default_cache() == cache.path() / "named");
  check_compiles(chain(), {}, "");
  CHECK(count(cache.path() / "named", ".so") == 1);
  before != nullptr ? setenv("HARDWARE_FIRST_CACHE", kept.c_str(), 1) : unsetenv("HARDWARE_FIRST_CACHE");
}
