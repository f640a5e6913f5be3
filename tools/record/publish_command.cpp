#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "record/atomic_file.hpp"
#include "record/check.hpp"
#include "record/record.hpp"
#include "record/text.hpp"

namespace hf {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string directory;
};

Json load_publishable(const std::string& file) {
  Json record = load_record(file);
  const auto problems = check_publishable(record);
  if (!problems.empty()) throw FileError(line(file, problems.front()));
  if (record.at("/toolchain/dirty"_json_pointer).get<bool>()) {
    std::cerr << printable(file) << ": measured from sources with uncommitted changes; published all the same\n";
  }
  return record;
}

// All are checked before any is written, so that a refused record publishes nothing.
int run(const Options& options) {
  std::vector<std::pair<std::filesystem::path, std::string>> copies;
  for (const std::string& file : options.files) {
    const Json record = load_publishable(file);
    const auto name = record.at("/lab/id"_json_pointer).get<std::string>() + ".json";
    copies.emplace_back(std::filesystem::path(options.directory) / name, record_text(record));
  }
  for (const auto& [file, text] : copies) {
    const bool wrote = write_if_changed(file, text);
    std::cout << printable(file.string()) << (wrote ? ": published\n" : ": as published before\n");
  }
  return 0;
}

}  // namespace

void add_publish(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("publish", "Checks full records and copies them to a directory, all or none");
  command->add_option("FILE", options->files, "records")->required();
  command->add_option("--to", options->directory, "directory, as in figures/records/MACHINE")->required();
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace hf
