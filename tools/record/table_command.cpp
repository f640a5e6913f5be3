#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "commands.hpp"
#include "record/atomic_file.hpp"
#include "record/record.hpp"
#include "record/table.hpp"

namespace hf {
namespace {

struct Options {
  std::string file, directory;
};

int run(const Options& options, const Tool& tool) {
  for (const auto& [name, text] : tables(load_record(options.file, tool.labs()))) {
    if (options.directory.empty()) {
      std::cout << "# " << name << "\n" << text << "\n\n";  // two empty lines: the next index in gnuplot
    } else {
      write_if_changed(std::filesystem::path(options.directory) / name, text);
    }
  }
  return 0;
}

}  // namespace

void add_table(CLI::App& app, Tool& tool) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("table", "Writes a record as tab-separated tables and gnuplot assignments");
  command->add_option("FILE", options->file, "record")->required();
  command->add_option("--out", options->directory,
                      "directory for SERIES.tsv and values.gp, each written only when it changes");
  command->callback([options, &tool] { tool.status = run(*options, tool); });
}

}  // namespace hf
