#include <memory>
#include <string>
#include <vector>

#include "build_inputs.hpp"
#include "commands.hpp"
#include "record/atomic_file.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"

namespace hf {
namespace {

struct Options {
  Build build;
  std::string output, compiler, flags;
  std::vector<std::string> libraries, environment;
};

int run(const Options& options) {
  Inputs inputs = build_inputs(options.build);
  inputs["compiler"] = options.compiler;
  inputs["flags"] = options.flags.empty() ? "none" : options.flags;
  inputs["schema"] = std::to_string(kSchemaVersion);
  for (const std::string& library : options.libraries) {
    const auto equals = library.find('=');
    if (equals == 0 || equals == std::string::npos) throw CLI::ValidationError("--library", "expected NAME=VERSION");
    inputs["library:" + library.substr(0, equals)] = library.substr(equals + 1);
  }
  for (const std::string& variable : options.environment) inputs["environment:" + variable] = kFoundWhenItRuns;
  write_if_changed(options.output, Json(inputs).dump(1) + "\n");
  return 0;
}

}  // namespace

void add_inputs(CLI::App& app, Tool& tool) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inputs", "Writes what a lab's measurement depends on (the build runs this)");
  command->add_option("--root", options->build.root, "folder of the sources; nothing outside is listed")->required();
  command->add_option("--build", options->build.folder, "folder that the program was linked in")->required();
  command->add_option("--map", options->build.map, "what the linker says it linked")->required();
  command->add_option("--output", options->output, "JSON file, written only when it changes")->required();
  command->add_option("--compiler", options->compiler, "name and version")->required();
  command->add_option("--flags", options->flags, "as --flags=\"-O3 …\"")->required();
  command->add_option("--cuda", options->build.cuda, "version and flags of the compiler of .cu files");
  command->add_option("--library", options->libraries, "NAME=VERSION, may be repeated")->allow_extra_args(false);
  command->add_option("--environment", options->environment, "name of a variable that the lab reads, may be repeated")
      ->allow_extra_args(false);
  command->callback([options, &tool] { tool.status = run(*options); });
}

}  // namespace hf
