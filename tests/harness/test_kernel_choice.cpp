// Kernels are chosen by how fast they are at each size, and only among those that work.
#include "harness/measure/kernel_choice.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/measure/blas.hpp"
#include "harness/measure/scratch_file.hpp"
#include "harness/measure/shared_library.hpp"
#include "process.hpp"

namespace {

using hf::Kernels;
using hf::SharedLibrary;

/// The kernels that the variable names.
Kernels pretended(const SharedLibrary& /*library*/) {
  const char* const value = std::getenv("PRETENDED_KERNELS");
  const std::string name = value != nullptr ? value : "own";
  if (name == "crashing") {
    std::puts("about to crash");
    std::fflush(stdout);
    std::fputs("about to crash\n", stderr);
    std::raise(SIGILL);
  }
  const auto multiply = [name](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    if (name != "wrong") std::fill_n(c, m * n, static_cast<float>(k) * a[0] * b[0]);  // a and b are constant
  };
  return {name == "unknown" ? "own" : name, multiply, {}};
}

hf::KernelChoice pretended_choice(const std::vector<std::string>& values) {
  return {"PRETENDED_KERNELS", values, [] { return SharedLibrary{}; }, pretended};
}

/// What this process and its children print meanwhile.
template <class Work>
std::string printed_during(Work work) {
  const hf::ScratchFile file;
  const int to = open(file.path().c_str(), O_WRONLY | O_APPEND), out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  std::fflush(stdout);
  dup2(to, STDOUT_FILENO);
  dup2(to, STDERR_FILENO);
  work();
  std::fflush(stdout);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int each : {to, out, err}) close(each);
  return content(file.path());
}

}  // namespace

TEST_CASE("the winner is fastest over all sizes, then come those that are clearly faster at one") {
  const hf::Trial own = {"", "own", {100, 50, 20}}, small = {"small", "small", {120, 40, 10}},
                  large = {"large", "large", {80, 49, 22}}, crashed = {"crashed", "", {}};
  using Values = std::vector<std::string>;
  CHECK(hf::winners({own, small, large, crashed}) == Values{"", "small", "large"});
  CHECK(hf::winners({crashed, small, large}) == Values{"large", "small"});
  CHECK(hf::winners({own, {"alike", "alike", {100.9, 50.4, 20.1}}}) == Values{""});
  CHECK(hf::winners({own, {"faster", "faster", {103, 52, 21}}}) == Values{"faster"});
  CHECK(hf::winners({{"", "own", {5, 0, 0}}, {"other", "other", {6, 0, 0}}}) == Values{"other"});
  CHECK(hf::winners({crashed, crashed}) == Values{"crashed"});
}

TEST_CASE("trials that crash or are wrong lose, print nothing and do not see the variable as it was") {
  setenv("PRETENDED_KERNELS", "wrong", 1);
  std::vector<std::string> values;
  const std::string printed = printed_during([&] {
    values = hf::fastest_values(pretended_choice({"crashing", "wrong", "unknown"}));
  });
  CHECK(values == std::vector<std::string>{""});
  CHECK(printed.empty());
  CHECK(std::string(std::getenv("PRETENDED_KERNELS")) == "wrong");
  unsetenv("PRETENDED_KERNELS");
  CHECK(has_no_children());
}

TEST_CASE("a library without a choice, and one that is missing, are left to themselves") {
  CHECK(hf::fastest_values(pretended_choice({})) == std::vector<std::string>{""});
  const hf::KernelChoice missing = {
      "PRETENDED_KERNELS", {"any"}, [] { return SharedLibrary{"libmissing.so"}; }, [](auto&) { return Kernels{}; }};
  CHECK(hf::fastest_values(missing) == std::vector<std::string>{""});
  CHECK(hf::load_side_by_side(missing, {"", "any"}).empty());
}

#if defined(__x86_64__)
TEST_CASE("one library is loaded with two sets of kernels, and each keeps its own") {
  const auto load = [] { return SharedLibrary{"libopenblas.so.0", "libopenblas.so"}; };
  if (!hf::Blas::get().is_library()) {  // not in doctest::skip(), which would load it for every test
    CHECK_FALSE(hf::load_side_by_side(hf::openblas_kernels(load), {""}).front().multiply);
    return;
  }
  CHECK(in_child([&] {  // Blas has loaded the library in this process
    const std::vector<Kernels> both = hf::load_side_by_side(hf::openblas_kernels(load), {"", "Nehalem", "Prescott"});
    return both.size() == 3 && both[1].name == "Nehalem" && both[2].name == "Prescott";
  }));
  for (const Kernels& each : hf::load_side_by_side(hf::openblas_kernels(load), {"", "Nehalem"})) {
    CAPTURE(each.name);
    const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
    std::vector<float> c(4);
    each.set_threads(1);
    each.multiply(2, 2, 2, a.data(), b.data(), c.data());
    CHECK(c == std::vector<float>{19, 22, 43, 50});
  }
}
#endif
