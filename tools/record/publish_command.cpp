#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "record/atomic_file.hpp"
#include "record/check.hpp"
#include "record/record.hpp"
#include "record/text.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> files;
  std::string directory;
};

std::string slug_of(const Json& record) { return record.at("/machine/slug"_json_pointer); }

Json load_publishable(const std::string& file, const Tool& tool) {
  Json record = load_record(file, tool.labs());
  const auto problems = check_publishable(record);
  if (!problems.empty()) throw FileError(line(file, problems.front()));
  if (record.at("/toolchain/dirty"_json_pointer).get<bool>()) {
    std::cerr << printable(file) << ": measured from sources with uncommitted changes; published all the same\n";
  }
  return record;
}

// What is published, and what a folder holds already: the file of each lab, and the machine it is of.
struct Publication {
  fs::path to;
  std::string from, slug, text;
};

void refuse_second(const std::vector<Publication>& all, const Publication& next) {
  for (const Publication& other : all) {
    if (other.to != next.to) continue;
    throw FileError(printable(next.from) + ": /lab/id: expected each lab once, and " + printable(other.from) +
                    " is of the same; name one of the two");
  }
}

// One folder is one machine: those published together, and those that stay beside them.
void refuse_other_machine(const std::vector<Publication>& all, const fs::path& folder) {
  std::map<fs::path, std::string> slugs;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") slugs[entry.path()] = slug_of(load_record(entry.path()));
    }
  }
  for (const Publication& each : all) slugs[each.to] = each.slug;
  for (const Publication& each : all) {
    for (const auto& [file, slug] : slugs) {
      if (slug == each.slug) continue;
      throw FileError(printable(each.from) + ": /machine/slug: expected " + slug + ", as in " +
                      printable(file.string()) + ", not " + each.slug + "; give each machine a folder of its own");
    }
  }
}

// All are checked before any is written, so that a refused record publishes nothing.
int run(const Options& options, const Tool& tool) {
  std::vector<Publication> all;
  for (const std::string& file : options.files) {
    const Json record = load_publishable(file, tool);
    const auto name = record.at("/lab/id"_json_pointer).get<std::string>() + ".json";
    const Publication next = {fs::path(options.directory) / name, file, slug_of(record), record_text(record)};
    refuse_second(all, next);
    all.push_back(next);
  }
  refuse_other_machine(all, options.directory);
  for (const Publication& each : all) {
    const bool wrote = write_if_changed(each.to, each.text);
    std::cout << printable(each.to.string()) << (wrote ? ": published\n" : ": as published before\n");
  }
  return 0;
}

}  // namespace

void add_publish(CLI::App& app, Tool& tool) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("publish", "Checks full records and copies them to a directory, all or none");
  command->add_option("FILE", options->files, "records")->required();
  command->add_option("--to", options->directory, "directory, as in figures/records/MACHINE")->required();
  command->callback([options, &tool] { tool.status = run(*options, tool); });
}

}  // namespace hf
