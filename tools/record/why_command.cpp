#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "harness/lab_record.hpp"
#include "harness/machine.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"

namespace hf {
namespace {

struct Options {
  std::string file;
  std::string budget = "full";
};

// What the lab would depend on if it ran now: what the build wrote beside the labs, and this machine.
Inputs inputs_now(const std::string& lab) {
  const auto directory = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto file = directory / ("lab-" + lab + ".inputs.json");
  if (!std::filesystem::exists(file)) {
    throw FileError(file.string() + ": expected the inputs of the lab as built; build lab-" + lab);
  }
  Inputs inputs = inputs_from(load_json(file), file.string());
  complete_inputs(inputs, probe_machine());
  return inputs;
}

int run(const Options& options, const Tool& tool) {
  const Json record = load_record(options.file, tool.labs());
  const auto lab = record.at("/lab/id"_json_pointer).get<std::string>();
  const auto reasons = staleness(record, inputs_now(lab), options.budget);
  for (const std::string& reason : reasons) std::cout << reason << "\n";
  if (reasons.empty()) std::cout << lab << " is fresh: nothing that it depends on has changed\n";
  return reasons.empty() ? 0 : 1;
}

}  // namespace

void add_why(CLI::App& app, Tool& tool) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("why", "Says what made a record stale; exit status 1 if it is, 0 if fresh");
  command->add_option("FILE", options->file, "record")->required();
  command->add_option("--budget", options->budget, "quick or full: the measurement that is wanted")
      ->envname("BUDGET")
      ->check(CLI::IsMember({"quick", "full"}))
      ->capture_default_str();
  command->callback([options, &tool] { tool.status = run(*options, tool); });
}

}  // namespace hf
