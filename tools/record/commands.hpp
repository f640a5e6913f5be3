#pragma once

#include <CLI/CLI.hpp>

namespace hf {

// One subcommand each: its options, and what it does, which leaves its exit status in `status`.
// Errors are thrown as FileError.
void add_check(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_inputs(CLI::App& app, int& status);
void add_publish(CLI::App& app, int& status);
void add_stale(CLI::App& app, int& status);
void add_table(CLI::App& app, int& status);
void add_why(CLI::App& app, int& status);

}  // namespace hf
