// record: check, tabulate, compare and date the records that labs write.
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "commands.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to report, like a full disk
  CLI::App app{"Checks, tabulates, compares and publishes the records that labs write.", "record"};
  app.set_version_flag("--version", "record " HARDWARE_FIRST_VERSION);
  app.require_subcommand(1);
  hf::Tool tool;
  app.add_option("--tree", tool.tree, "checkout to compare with: its sources, its labs and their laws")
      ->default_str("the one that this was built from");
  app.fallthrough();
  hf::add_check(app, tool);
  hf::add_table(app, tool);
  hf::add_diff(app, tool);
  hf::add_why(app, tool);
  hf::add_stale(app, tool);
  hf::add_modes(app, tool);
  hf::add_publish(app, tool);
  hf::add_inputs(app, tool);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) throw std::runtime_error("standard output: cannot be written; free space or choose another place");
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "record: " << error.what() << "; see record --help\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;  // 1 is an answer: a bad record, a flipped claim, a stale record
  }
  return tool.status;
}
