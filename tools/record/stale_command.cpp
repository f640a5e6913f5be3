// record stale [--tree DIR] [--json] FILE...
//   Lists the sources that have changed since each record was measured. It only compares the sources that a record
//   names in `lab.inputs` with the checkout that `record` was built from (or DIR), so no lab need be built and no
//   machine identified.
//   Plain: one line for each source that changed, "FILE: labs/harness/measure/peaks.cpp changed" (or "… is gone");
//   nothing for a fresh record. With --json: one object, FILE → list of those lines without "FILE: ", empty for a fresh
//   record.
//   Exit status: 0 if all are fresh, 1 if some are not, 2 if a file is not a valid record (it is named on standard
//   error, and the others are processed) or DIR is not a folder.
// record why FILE
//   Lists the changes of everything that a measurement depends on: the build's inputs beside the labs (record inputs),
//   and this machine.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "build_inputs.hpp"
#include "commands.hpp"
#include "harness/machine/machine.hpp"
#include "harness/report/lab_record.hpp"
#include "record/check.hpp"
#include "record/file.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"

namespace hf {
namespace {

// The lab's inputs if it ran now. The labs are beside this tool or, if it is installed, in the book's build.
Inputs inputs_now(const std::string& lab, const Tool& tool) {
  const std::string name = "lab-" + lab + ".inputs.json";
  auto file = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (!std::filesystem::exists(file)) file = tool.tree / "build/bin" / name;
  if (!std::filesystem::exists(file)) {
    throw FileError(file.string() + ": expected the inputs of the lab as built; build lab-" + lab);
  }
  Inputs inputs = inputs_from(load_json(file), file.string());
  complete_inputs(inputs, probe_machine());
  return inputs;
}

}  // namespace

int inputs_command(const InputsOptions& options) {
  Inputs inputs = build_inputs(options.build);
  inputs["compiler"] = options.compiler;
  inputs["flags"] = options.build.flags.empty() ? "none" : without_paths(options.build.flags);
  inputs["schema"] = std::to_string(kSchemaVersion);
  for (const std::string& library : options.libraries) {
    const auto equals = library.find('=');
    inputs["library:" + library.substr(0, equals)] = library.substr(equals + 1);
  }
  for (const std::string& variable : options.environment) inputs["environment:" + variable] = kFoundWhenItRuns;
  write_if_changed(options.output, Json(inputs).dump(1) + "\n");
  return 0;
}

int instrument_command(const InputsOptions& options) {
  write_if_changed(options.output, Json(instrument_inputs(options.build.root, options.build.folder)).dump(1) + "\n");
  return 0;
}

// Checks every file, so that one bad record does not hide the next.
int stale_command(const Tool& tool, const Files& files, bool json) {
  const auto checkout = source_digests(tool.tree);
  Json all = Json::object();
  int status = 0;
  for (const std::string& file : files) {
    try {
      const Json record = load_record(file, tool.labs());
      all[file] = changed_sources(record.at("/lab/inputs"_json_pointer).get<Inputs>(), checkout);
      if (!all[file].empty()) status = std::max(status, 1);
    } catch (const FileError& error) {
      std::cerr << error.what() << "\n";
      status = 2;
    }
  }
  if (json) std::cout << all.dump(1) << "\n";
  if (json) return status;
  for (const auto& [file, changes] : all.items()) {
    for (const std::string line : changes) std::cout << printable(file) << ": " << line << "\n";
  }
  return status;
}

int why_command(const Tool& tool, const std::string& file, const std::string& budget) {
  const Json record = load_record(file, tool.labs());
  const auto lab = record.at("/lab/id"_json_pointer).get<std::string>();
  const auto reasons = staleness(record, inputs_now(lab, tool), budget);
  for (const std::string& reason : reasons) std::cout << reason << "\n";
  if (reasons.empty()) std::cout << lab << " is fresh: none of its inputs has changed\n";
  return reasons.empty() ? 0 : 1;
}

}  // namespace hf
