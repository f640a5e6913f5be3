// record: check, tabulate, compare and date the records that labs write.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

#include "commands.hpp"

namespace hf {
namespace {

// The command line's options. Only the chosen command reads its own.
struct Request {
  Tool tool;
  Files files;
  std::string file, directory, budget = "full";
  bool publish = false, advise_speed = false, json = false, git = false;
  InputsOptions inputs;
  std::function<int()> command;
};

CLI::App* add(CLI::App& app, Request& request, const std::string& name, const std::string& what,
              const std::function<int()>& run) {
  CLI::App* command = app.add_subcommand(name, what);
  command->callback([&request, run] { request.command = run; });
  return command;
}

void add_questions(CLI::App& app, Request& r) {
  CLI::App* check = add(app, r, "check", "Lists problems of records; exit status 1 if there are any",
                        [&r] { return check_command(r.tool, r.files, r.publish, r.advise_speed, r.json); });
  check->add_option("FILE", r.files, "records, or a folder of published ones")->required();
  CLI::Option* publish = check->add_flag("--publish", r.publish, "also refuse quick, incomplete and emulated records");
  check
      ->add_flag("--advise-speed", r.advise_speed,
                 "only warn when a speed law fails, since a busy machine can cause that")
      ->excludes(publish);
  check->add_flag("--json", r.json, "print one JSON object: for each file, a list of its problems");

  CLI::App* diff = add(app, r, "diff", "Lists changes beyond the noise; exit status 1 if a claim flipped", [&r] {
    if (r.git) return git_diff_command(r.tool, r.files);
    if (r.files.size() != 2) throw CLI::ValidationError("record diff", "expected two records, BEFORE and AFTER");
    return diff_command(r.tool, r.files[0], r.files[1]);
  });
  diff->add_option("FILE", r.files, "two records of one lab, the older one first")->required();
  diff->add_flag("--git", r.git, "take the seven arguments that git passes to an external diff");

  CLI::App* why = add(app, r, "why", "Lists what made a record stale; exit status 1 if it is stale, 0 if fresh",
                      [&r] { return why_command(r.tool, r.file, r.budget); });
  why->add_option("FILE", r.file, "record")->required();
  why->add_option("--budget", r.budget, "budget of the next run, quick or full")
      ->envname("BUDGET")
      ->check(CLI::IsMember({"quick", "full"}))
      ->capture_default_str();

  CLI::App* stale =
      add(app, r, "stale", "Lists the sources that changed since a record was measured; exit status 1 if any did",
          [&r] { return stale_command(r.tool, r.files, r.json); });
  stale->add_option("FILE", r.files, "records, published or not")->required();
  stale->add_flag("--json", r.json, "print one JSON object: for each file, a list of changes");
}

void add_writers(CLI::App& app, Request& r) {
  CLI::App* table = add(app, r, "table", "Writes a record as tab-separated tables and gnuplot assignments",
                        [&r] { return table_command(r.tool, r.file, r.directory); });
  table->add_option("FILE", r.file, "record")->required();
  table->add_option("--out", r.directory, "directory for SERIES.tsv and values.gp, each written only when it changes");

  CLI::App* read =
      add(app, r, "read", "Prints records as one JSON object, with the values that definitions.json derives",
          [&r] { return read_command(r.tool, r.files); });
  read->add_option("FILE", r.files, "records")->required();

  CLI::App* definitions =
      add(app, r, "definitions", "Prints, as one JSON object, which values definitions.json derives, and from what",
          [&r] { return definitions_command(r.files); });
  definitions->add_option("FILE", r.files, "a lab's definitions.json")->required();

  CLI::App* publish = add(app, r, "publish", "Checks full records and copies them to a directory, all or none",
                          [&r] { return publish_command(r.tool, r.files, r.directory); });
  publish->add_option("FILE", r.files, "records")->required();
  publish->add_option("--to", r.directory, "directory, as in figures/records/MACHINE")->required();

  InputsOptions& in = r.inputs;
  CLI::App* inputs = add(app, r, "inputs", "Writes the inputs of a lab's measurement (the build runs this)",
                         [&in] { return inputs_command(in); });
  CLI::App* instrument =
      add(app, r, "instrument",
          "Writes the inputs of the instrument that is installed for other books (the build runs this)",
          [&in] { return instrument_command(in); });
  for (CLI::App* command : {inputs, instrument}) {
    command->add_option("--root", in.build.root, "folder of the sources; nothing outside is listed")->required();
    command->add_option("--build", in.build.folder, "folder of the build")->required();
    command->add_option("--output", in.output, "JSON file, written only when it changes")->required();
  }
  inputs->add_option("--map", in.build.map, "the linker's map file")->required();
  inputs->add_option("--compiler", in.compiler, "name and version")->required();
  inputs->add_option("--flags", in.build.flags, "the compiler's flags, as --flags=\"-O3 …\"")->required();
  inputs->add_option("--cuda", in.build.cuda, "version and flags of the CUDA compiler");
  inputs->add_option("--library", in.libraries, "NAME=VERSION; can be repeated")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        const auto equals = text.find('=');
        return equals == 0 || equals == std::string::npos ? "expected NAME=VERSION" : "";
      });
  inputs->add_option("--environment", in.environment, "an environment variable that the lab reads; can be repeated")
      ->allow_extra_args(false);
}

}  // namespace
}  // namespace hf

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to report, like a full disk
  CLI::App app{"Checks, tabulates, compares and publishes the records that labs write.", "record"};
  app.set_version_flag("--version", "record " HARDWARE_FIRST_VERSION);
  app.require_subcommand(1);
  hf::Request request;
  app.add_option("--tree", request.tool.tree, "checkout whose sources, labs and laws to compare with")
      ->default_str("this folder if it has labs, else the one this tool was built from");
  app.fallthrough();
  hf::add_questions(app, request);
  hf::add_writers(app, request);
  try {
    app.parse(argc, argv);
    const int status = request.command();
    std::cout.flush();
    if (!std::cout) throw std::runtime_error("standard output: cannot be written; free space or choose another place");
    return status;
  } catch (const CLI::Success& success) {  // --help or --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "record: " << error.what() << "; see record --help\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;  // 1 is a result: a bad record, a flipped claim, a stale record
  }
}
