#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

namespace hf {

// What all commands share: the checkout that they compare records with, and the exit status that they end with.
struct Tool {
  std::filesystem::path tree = HARDWARE_FIRST_SOURCE;
  int status = 0;

  std::filesystem::path labs() const { return tree / "labs"; }
};

// One subcommand each: its options, and what it does, which leaves its exit status in `tool`. Errors are thrown as
// FileError.
void add_check(CLI::App& app, Tool& tool);
void add_diff(CLI::App& app, Tool& tool);
void add_inputs(CLI::App& app, Tool& tool);
void add_modes(CLI::App& app, Tool& tool);
void add_publish(CLI::App& app, Tool& tool);
void add_stale(CLI::App& app, Tool& tool);
void add_table(CLI::App& app, Tool& tool);
void add_why(CLI::App& app, Tool& tool);

}  // namespace hf
