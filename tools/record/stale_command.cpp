// record stale [--tree DIR] [--json] FILE...
//   Which sources have changed since each record was measured? Only the sources that a record names in `lab.inputs` are
//   looked at, in the checkout that `record` was built from (or DIR): no lab need be built, no machine be asked.
//   Plain: one line for each source that changed, "FILE: labs/harness/peaks.cpp changed" (or "… is gone"); nothing for a
//   record that is fresh. With --json: one object, FILE → list of those lines without "FILE: ", empty for a fresh record.
//   Exit status: 0 all are fresh, 1 one or more are not, 2 a file is no valid record (it is named on standard error, and
//   the others are answered) or DIR no folder.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"

namespace hf {
namespace {

struct Options {
  std::vector<std::string> files;
  bool json = false;
};

// Every file is looked at, so that one bad record does not hide the next.
int run(const Options& options, const Tool& tool) {
  Json all = Json::object();
  int status = 0;
  for (const std::string& file : options.files) {
    try {
      const Json record = load_record(file, tool.labs());
      all[file] = changed_sources(record.at("/lab/inputs"_json_pointer).get<Inputs>(), tool.tree);
      if (!all[file].empty()) status = std::max(status, 1);
    } catch (const FileError& error) {
      std::cerr << error.what() << "\n";
      status = 2;
    }
  }
  if (options.json) std::cout << all.dump(1) << "\n";
  if (options.json) return status;
  for (const auto& [file, changes] : all.items()) {
    for (const std::string line : changes) std::cout << printable(file) << ": " << line << "\n";
  }
  return status;
}

}  // namespace

void add_stale(CLI::App& app, Tool& tool) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "stale", "Says which sources have changed since a record was measured; exit status 1 if any has");
  command->add_option("FILE", options->files, "records, published or not")->required();
  command->add_flag("--json", options->json, "one JSON object: each file, and what changed, in a list");
  command->callback([options, &tool] { tool.status = run(*options, tool); });
}

}  // namespace hf
