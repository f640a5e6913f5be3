// The kernels in a browser, if there is one, with every fault that it may have.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "01-roofline/bench/steps.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/command.hpp"
#include "harness/report/lab.hpp"
#include "kit/browser/browser_peer.hpp"
#include "process.hpp"
#include "quiet_lab.hpp"
#include "suite.hpp"

namespace hf::roofline {
namespace {

const std::string module = BROWSER_MODULE;
constexpr std::chrono::seconds patience(600);  // so that a busy machine fails no test

struct Quiet : QuietLab {
  Quiet() : QuietLab({"01-roofline", "", {}, {}}, Budget::quick, probe_machine()) {}
};

/// The step's message when it measures nothing.
std::string note_of_the_step() {
  Quiet quiet;
  Shared shared(quiet.lab);
  const std::size_t before = quiet.lab.results().notes.size();
  measure_in_browser(quiet.lab, shared);
  CHECK(quiet.lab.results().values.empty());
  CHECK(quiet.lab.results().complete);
  REQUIRE(quiet.lab.results().notes.size() == before + 1);
  return quiet.lab.results().notes.back();
}

const bool is_missing =
    !std::filesystem::exists(module) || run_command({"chromium", "--version"}, 30).end != CommandResult::End::done;
const bool is_left_out = is_missing && std::getenv("HARDWARE_FIRST_PEERS") == nullptr;

TEST_CASE("without a browser there is a note, and the record is complete all the same") {
  const FakePython python("echo 'error: no such browser'\n");
  const std::string note = note_of_the_step();
  const std::string why = std::filesystem::exists(module)
                              ? "chromium: no such browser"
                              : "its module is missing; site/browser/build compiles it, with Clang 19";
  CHECK(note == "WebAssembly was not measured: " + why);
  CHECK(has_no_children());
}

TEST_CASE("a browser that dies is no reason to end the lab" * doctest::skip(is_left_out)) {
  const FakePython python("echo ready Chrome/1\nread c; echo 65536\nread c; echo 0\nread c; echo 1\nread c\n");
  CHECK(note_of_the_step() == "WebAssembly was not measured: chromium: its process has ended");
  CHECK(has_no_children());
}

TEST_CASE("what is no number ends a browser") {
  const FakePython python("echo ready Chrome/1\nread c; echo NaNa\n");
  BrowserPeer browser("chromium", module);
  CHECK_THROWS_WITH_AS(browser.call("peak", {}), "chromium: says 'NaNa' for a number", PeerFailed);
  CHECK(has_no_children());
}

TEST_CASE("a browser runs the kernels" * doctest::skip(is_left_out)) {
  {
    BrowserPeer browser("chromium", module, patience);
    CHECK(browser.version().find("Chrome/") != std::string::npos);
    // As in multiply_add(): every lane of a chain goes from its number to x · 0.5 + 0.25.
    double sum = 0;
    for (int chain = 0; chain < 12; ++chain) sum += chain * 0.5 + 0.25;
    CHECK(browser.call("peak", std::vector{1.0, 12.0, 1.0, 0.5, 0.25}) == sum);
    CHECK(browser.seconds(10, "peak", std::vector{1.0, 12.0, 100.0, 0.5, 0.25}) > 0);
    const double base = browser.reserve(1);
    browser.call("fill", std::vector{base, 1024.0});
    browser.call("read", std::vector{base, 1024.0, 2.0});
    browser.call("grow", std::vector{base, 100.0});
    CHECK(browser.call("chase", std::vector{1.0, 100.0}) == base);  // once around
    CHECK_THROWS_AS(browser.call("reserve", {}), PeerFailed);       // it lacks this function
  }
  CHECK(has_no_children());
}

TEST_CASE("a browser that is not there is said to be missing in one line" * doctest::skip(is_left_out)) {
  try {
    const BrowserPeer browser("no-such-browser", module, patience);
    FAIL("it was there");
  } catch (const PeerFailed& failure) {
    const std::string said = failure.what();
    CHECK(said.starts_with("no-such-browser: "));
    CHECK(said.find('\n') == std::string::npos);
  }
}

// The step gives a browser 30 s to answer, which a busy machine may need.
TEST_CASE("the step compares what is the same here and there" * doctest::skip(is_left_out || !weekly())) {
  Quiet quiet;
  Shared shared(quiet.lab);
  measure_in_browser(quiet.lab, shared);
  for (const char* id : {"wasm_peak_over_native", "wasm_cache_over_native", "wasm_dram_over_native",
                         "wasm_cache_wait_over_native", "wasm_dram_wait_over_native"}) {
    CAPTURE(id);
    REQUIRE(quiet.lab.has(id));
    CHECK(quiet.lab.value(id) > 0);
  }
}

}  // namespace
}  // namespace hf::roofline
