// The smallest possible lab: one sum, with a measurement, a prediction and a claim. Tests run it whole. The environment
// variable TINY_LAB_DOES selects how it ends: it waits, alone or with helpers, spins, fails, breaks a law, finds a NaN,
// probes, shows its environment, or has a clock that is wrong or jumps.
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <string>

#include "harness/measure/command.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/python_peer.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/report/lab.hpp"

namespace {

constexpr int numbers = 1000;

void add_numbers() {
  float sum = 0;
  for (int i = 0; i < numbers; ++i) {
    sum += static_cast<float>(i);
    hf::keep(sum);
  }
}

std::string does() {
  const char* variable = std::getenv("TINY_LAB_DOES");
  return variable != nullptr ? variable : "";
}

/// Helpers that other labs have: a folder, a peer in Python, a compiler.
void wait_with_helpers() {
  const hf::ScratchFolder folder;
  hf::PythonPeer peer({.name = "peer", .script = "import python_peer; python_peer.serve('1', {})", .settings = {}});
  hf::run_command({"sleep", "100"}, 100);
}

/// Waits for ever without a sign of life, as a library does whose threads never come, beside a process that does too.
void spin() {
  if (fork() == 0) {
    for (;;) pause();
  }
  for (;;) sched_yield();
}

/// Probes, in a process of its own, whether one that crashed would leave a core file.
void check_probe() {
  const pid_t probe = fork();
  if (probe == 0) {
    rlimit limit = {};
    getrlimit(RLIMIT_CORE, &limit);
    _exit(limit.rlim_cur == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(probe, &status, 0);
  if (status != 0) throw std::runtime_error("a probe that crashes would leave a core file");
}

std::time_t clock_error = 0;

void predict(hf::Lab& lab) {
  lab.show({"Predictions", {"kernel", "FLOP/byte", "side"}, {{"sum", hf::number_text(numbers / 4.0), "compute"}}});
}

void measure_sum(hf::Lab& lab) {
  if (does() == "fail") throw std::runtime_error("the sum is wrong; this is what TINY_LAB_DOES asked for");
  if (does() == "help") wait_with_helpers();
  if (does() == "spin") spin();
  if (does() == "probe") check_probe();
  if (does() == "show its environment") std::printf("%s", hf::output_of({"env"}).c_str());
  if (does() == "leave files") hf::run_command({"sh", "-c", "mktemp -d; mktemp; touch \"$TMPDIR/left\""}, 10);
  if (does() == "clock jumps") clock_error = 3600;
  for (int turn = 0; turn < 1000 && (does() == "wait" || clock_error != 0); ++turn) {
    hf::sample(hf::timed("sum", add_numbers), lab.plan());
  }
  hf::Plan plan = lab.plan();
  plan.sample_seconds = 1e-5;
  const hf::Estimate seconds = hf::sample(hf::timed("sum", add_numbers), plan);
  const hf::Estimate speed = hf::rate(numbers, seconds);
  lab.add(hf::Series{
      "sum", "sum of floats", hf::Kind::measured, {"numbers", "1"}, {"speed", "GFLOP/s"}, {hf::Point(numbers, speed)}});
  lab.add(hf::Value("sum_gflops", speed, "GFLOP/s"));
  lab.add(hf::Value("sum_seconds", seconds, "s"));
}

void add_bounds(hf::Lab& lab) {
  const double bound = does() == "nan" ? std::numeric_limits<double>::quiet_NaN() : does() == "law" ? 1e-6 : 1e6;
  lab.modelled("sum_bound_gflops", bound, "GFLOP/s");
}

}  // namespace

/// Replaces the system's clock, by which the lab dates its record.
extern "C" std::time_t time(std::time_t* result) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::time_t months = 300 * 86400;
  const std::time_t seconds = does() == "1970"          ? 0
                              : does() == "months late" ? now.tv_sec - months
                                                        : now.tv_sec + clock_error;
  if (result != nullptr) *result = seconds;
  return seconds;
}

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "99-tiny",
                            .title = "Adding takes time",
                            .prepare = predict,
                            .steps = {{"sum", measure_sum, 0.05, 0.1}, {"bounds", add_bounds, 0, 0, {"sum"}}}};
  return hf::run_lab(info, argc, argv);
}
