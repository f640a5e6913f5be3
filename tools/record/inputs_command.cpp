#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "record/atomic_file.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"

namespace hf {
namespace {

struct Options {
  std::string root, output, compiler, flags;
  std::vector<std::string> libraries, include_directories, sources;
};

int run(const Options& options) {
  const std::vector<std::filesystem::path> sources(options.sources.begin(), options.sources.end());
  const std::vector<std::filesystem::path> directories(options.include_directories.begin(),
                                                       options.include_directories.end());
  Inputs inputs = source_inputs(options.root, sources, directories);
  inputs["compiler"] = options.compiler;
  inputs["flags"] = options.flags.empty() ? "none" : options.flags;
  inputs["schema"] = std::to_string(kSchemaVersion);
  for (const std::string& library : options.libraries) {
    const auto equals = library.find('=');
    if (equals == 0 || equals == std::string::npos) throw CLI::ValidationError("--library", "expected NAME=VERSION");
    inputs["library:" + library.substr(0, equals)] = library.substr(equals + 1);
  }
  write_if_changed(options.output, Json(inputs).dump(1) + "\n");
  return 0;
}

}  // namespace

void add_inputs(CLI::App& app, Tool& tool) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inputs", "Writes what a lab's measurement depends on (the build runs this)");
  command->add_option("--root", options->root, "directory that names are relative to; nothing outside is listed")
      ->required();
  command->add_option("--output", options->output, "JSON file, written only when it changes")->required();
  command->add_option("--compiler", options->compiler, "name and version")->required();
  command->add_option("--flags", options->flags, "as --flags=\"-O3 …\"")->required();
  command->add_option("--library", options->libraries, "NAME=VERSION, may be repeated")->allow_extra_args(false);
  command->add_option("--include", options->include_directories, "directory to look in for #include \"…\"")
      ->allow_extra_args(false);
  command->add_option("SOURCE", options->sources, "sources; their #include \"…\" are followed")->required();
  command->callback([options, &tool] { tool.status = run(*options); });
}

}  // namespace hf
