#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "record/check.hpp"
#include "record/record.hpp"

namespace hf {
namespace {

struct Options {
  std::vector<std::string> files;
  bool publish = false;
};

std::vector<Problem> problems_of(const std::string& file, bool publish) {
  const Json record = load_json(file);
  std::vector<Problem> problems = check(record);
  return problems.empty() && publish ? check_publishable(record) : problems;
}

// Every file is looked at, so that one bad record does not hide the next.
int run(const Options& options) {
  int status = 0;
  for (const std::string& file : options.files) {
    try {
      const auto problems = problems_of(file, options.publish);
      for (const Problem& problem : problems) std::cerr << line(file, problem) << "\n";
      if (problems.empty()) std::cout << printable(file) << ": good\n";
      if (!problems.empty()) status = 1;
    } catch (const FileError& error) {
      std::cerr << error.what() << "\n";
      status = 1;
    }
  }
  return status;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Says what is wrong with records; exit status 1 if anything is");
  command->add_option("FILE", options->files, "records")->required();
  command->add_flag("--publish", options->publish, "also refuse quick, incomplete and emulated records");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace hf
