// your-model-roofs: measures the roofs of this machine for `make model`, in seconds, and writes them to a file.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "08-your-model/bench/roofs.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "record/file.hpp"

namespace {

using namespace hf;

void measure(const std::string& out) {
  check_can_be_written(out);
  const Machine machine = probe_machine();
  const std::size_t largest = your_model::beyond_the_caches(machine);
  const Plan arithmetic = {.rounds = 7}, memory = {.rounds = 5, .minimum_rounds = 3};
  std::vector<your_model::Roofs> teams;
  for (int threads : machine.cores > 1 ? std::vector{1, machine.cores} : std::vector{1}) {
    std::fprintf(stderr, "measuring the roofs of %s, %d thread%s …\n", machine.cpu_name().c_str(), threads,
                 threads == 1 ? "" : "s");
    Team team(threads);
    teams.push_back(your_model::measure_roofs(machine, team, largest, {arithmetic, memory}));
  }
  write_atomically(out, your_model::roofs_json(machine, teams));
  std::fprintf(stderr, "wrote %s\n", out.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures this machine's roofs for `make model`: arithmetic, functions, and memory by working set.");
  std::string out = "build/records/roofs.json";
  app.set_version_flag("--version", HARDWARE_FIRST_VERSION);
  app.add_option("--out", out, "the file to write")->type_name("FILE")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  catch_interrupts();
  try {
    measure(out);
    return 0;
  } catch (const Interrupted&) {
    return 130;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "your-model-roofs: %s\n", error.what());
    return 1;
  }
}
