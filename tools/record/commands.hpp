#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build_inputs.hpp"

namespace hf {

// The current folder if it is a book, else the one that this tool was built from.
inline std::filesystem::path default_tree() {
  return std::filesystem::is_directory("labs") ? "." : HARDWARE_FIRST_SOURCE;
}

// Options of all commands: the checkout that they compare records with.
struct Tool {
  std::filesystem::path tree = default_tree();

  std::filesystem::path labs() const { return tree / "labs"; }
};

using Files = std::vector<std::string>;

// The subcommands: each returns its exit status, and throws FileError.
int check_command(const Tool& tool, const Files& files, bool publish, bool advise_speed, bool json);
int diff_command(const Tool& tool, const std::string& before, const std::string& after);
int git_diff_command(const Tool& tool, const Files& words);
int publish_command(const Tool& tool, const Files& files, const std::string& directory);
int definitions_command(const Files& files);
int read_command(const Tool& tool, const Files& files);
int stale_command(const Tool& tool, const Files& files, bool json);
int table_command(const Tool& tool, const std::string& file, const std::string& directory);
int why_command(const Tool& tool, const std::string& file, const std::string& budget);

// The arguments that the build passes to `record inputs`.
struct InputsOptions {
  Build build;
  std::string output, compiler;
  std::vector<std::string> libraries;  // NAME=VERSION
  std::vector<std::string> environment;
};

int inputs_command(const InputsOptions& options);
int instrument_command(const InputsOptions& options);

}  // namespace hf
