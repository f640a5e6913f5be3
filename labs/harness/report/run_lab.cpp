
#include <sys/stat.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "conditions.hpp"
#include "environment.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "lab.hpp"
#include "lab_record.hpp"
#include "limits.hpp"
#include "lock.hpp"
#include "record/check.hpp"
#include "record/claims.hpp"
#include "record/file.hpp"
#include "record/inputs.hpp"
#include "record/law.hpp"
#include "record/reading.hpp"
#include "record/record.hpp"
#include "record/text.hpp"
#include "system_state.hpp"
#include "watchdog.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

const fs::path labs_folder = fs::path(lab_texts.checkout) / "labs";

struct Options {
  std::string budget = "full";
  bool if_stale = false, is_fresh = false;
  std::optional<int> within;  ///< seconds
  std::string only;
  fs::path out;

  Budget chosen_budget() const { return budget == "quick" ? Budget::quick : Budget::full; }
};

fs::path executable_folder(const char* name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return (error ? fs::absolute(name) : self).parent_path();
}

/// \return exit status if nothing is left to do after the command line
std::optional<int> read_command_line(const LabInfo& info, int argc, char** argv, Options& options) {
  CLI::App app("Measures \"" + info.title + "\" on this machine, shows the results and writes the record.",
               "lab-" + info.id);
  if (const char* budget = std::getenv("BUDGET"); budget != nullptr && *budget != '\0') options.budget = budget;
  app.add_option("--budget", options.budget, "how long to measure; BUDGET in the environment sets the default")
      ->type_name("quick|full")
      ->capture_default_str();
  app.add_flag("--if-stale", options.if_stale, "do nothing if the record is up to date");
  app.add_flag("--is-fresh", options.is_fresh,
               "only say whether the record is up to date: exit status 0 if it is, 1 if not");
  app.add_option("--within", options.within,
                 "stop after this time at the latest, with exit status " + std::to_string(kTimeIsUp) + " and no record")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  std::vector<std::string> steps;
  for (const Step& step : info.steps) steps.push_back(step.name);
  app.add_option("--only", options.only, "measure only this step and those it depends on; write no record")
      ->type_name("STEP")
      ->check(CLI::IsMember(steps));
  app.add_option("--out", options.out, "folder for the record")->type_name("DIR")->capture_default_str();
  app.set_version_flag("--version", "lab-" + info.id + " " + lab_texts.version);
  try {
    app.parse(argc, argv);
    if (options.budget != "quick" && options.budget != "full") {  // from the option or the environment
      throw CLI::ValidationError("--budget", "'" + options.budget + "': expected quick or full");
    }
    return std::nullopt;
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::Error& error) {
    std::cerr << app.get_name() << ": " << error.what() << "; see --help\n";
    return 1;
  }
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// "3 hours ago", from a record's run.started.
std::string age_text(const std::string& started) {
  std::tm parts = {};
  strptime(started.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  const double minutes = std::max(std::difftime(std::time(nullptr), timegm(&parts)) / 60, 0.0);
  const auto text = [](double count, const char* unit) {
    const long whole = static_cast<long>(count);
    return std::to_string(whole) + " " + unit + (whole == 1 ? "" : "s") + " ago";
  };
  if (minutes < 60) return text(minutes, "minute");
  return minutes < 48 * 60 ? text(minutes / 60, "hour") : text(minutes / 60 / 24, "day");
}

/// One run of a lab, from the build's inputs to the record.
class LabRun {
 public:
  LabRun(const LabInfo& info, const Options& options, const fs::path& folder)
      : info_(info), options_(options), file_(options.out / (info.id + ".json")), machine_(probe_machine()) {
    const std::string id = lab_texts.id;
    if (info.id != id) {  // beside it may lie the inputs of a lab that has that name, or had it
      throw std::runtime_error("labs/" + id + "/lab.cpp: .id: expected " + id + ", as in add_lab(" + id + " …), not " +
                               info.id + "; change it");
    }
    const fs::path inputs = folder / ("lab-" + id + ".inputs.json");
    inputs_ = inputs_from(load_json(inputs), inputs.string());
    complete_inputs(inputs_, machine_);
    laws_ = parse_laws(lab_texts.laws, "labs/" + info.id + "/laws.json");
    definitions_ = parse_definitions(lab_texts.definitions, "labs/" + info.id + "/definitions.json");
    claims_ = parse_claims(lab_texts.claims, "labs/" + info.id + "/claims.json");
  }

  /// Returns true, and prints it, if there is a valid record that a new run would only repeat.
  bool is_fresh() {
    if (!fs::exists(file_)) return false;
    try {
      const nlohmann::json record = load_record(file_, labs_folder);
      const std::vector<std::string> reasons = staleness(record, inputs_, options_.budget);
      if (reasons.empty()) {
        const std::string started = record.at("run").at("started");
        terminal_.line(info_.id + " is up to date: measured " + age_text(started) + " on this machine");
        return true;
      }
      const std::string more = reasons.size() > 1 ? " and " + std::to_string(reasons.size() - 1) + " more" : "";
      terminal_.line(info_.id + " is stale: " + reasons.front() + more);
    } catch (const FileError& error) {
      const char* next = options_.is_fresh                           ? ""
                         : options_.chosen_budget() == Budget::quick ? ", so the lab measures again, quickly"
                                                                     : ", so the lab measures again";
      terminal_.line(info_.id + " has no valid record" + next + ": " + error.what());
    }
    return false;
  }

  /// Lets other processes measure, if this lab has several. \return their exit status; nothing if there are none
  std::optional<int> measure_elsewhere() {
    if (!info_.elsewhere) return std::nullopt;
    const std::optional<fs::file_time_type> before = time_of_record();
    stop_watching();  // their launcher needs longer to end them
    const std::optional<int> status = info_.elsewhere();
    watch("lab-" + info_.id);
    if (status == 0 && options_.only.empty() && time_of_record() == before) {
      throw std::runtime_error(
          "mpirun succeeded, but no record was written: run the lab with RANKS=1, or put the "
          "mpirun of this build's MPI first on PATH");
    }
    return status;
  }

  void measure() {
    check_clock();
    check_threads();
    check_before_measuring(inputs_, machine_);
    watch_step("waiting for another lab", std::numeric_limits<double>::infinity());
    const MeasuringLock lock([this](double seconds_left) { say_waiting(seconds_left); });
    const std::int64_t start = now_ns();
    if (options_.only.empty()) check_writable();
    const ScratchFolder scratch;  // with it goes what browsers and compilers leave in TMPDIR
    keep_temporary_files_in(scratch.path());
    remember_conditions();
    Run run;
    run.started = utc_now();
    run.budget = options_.chosen_budget();
    run.at_start = read_system_state();
    introduce();
    Lab lab(info_, run.budget, machine_, terminal_);
    if (const std::optional<double> last = last_seconds()) {
      lab.expect(*last);
      lock.expect(*last);
    }
    if (!options_.only.empty()) lab.only(options_.only);
    for (const std::string& note : environment_notes()) lab.note(note);
    for (const std::string& note : limit_notes()) lab.note(note);
    watch_step("noise floor", 0);
    lab.look_at_memory();
    run.noise_floor = machine_noise_floor(plan_within(run.budget, 1), lab.steady_memory());
    run.before_body = read_system_state();
    terminal_.paragraph("noise floor " + number_text(100 * run.noise_floor) +
                        "%: identical loops differ by up to this much, so any smaller difference counts as a tie");

    lab.run();
    run.fewest_huge_pages = fewest_huge_pages();
    if (const std::string note = huge_page_note(run.fewest_huge_pages); !note.empty()) lab.note(note);
    stop_watching();
    stop_if_interrupted();
    stop_if_conditions_changed();
    terminal_.clear_progress();
    run.at_end = read_system_state();
    run.seconds = static_cast<double>(now_ns() - start) * 1e-9;
    say_if_busy(run);
    const nlohmann::json record =
        make_record(info_, inputs_, run, machine_, read_commit(lab_texts.checkout), lab.results(), laws_);
    const nlohmann::json read = as_read(record, definitions_);
    show_values(read.at("values"));
    show_verdicts(read);
    if (options_.only.empty()) return write(record);
    terminal_.line("  no record was written, because only " + options_.only + " was measured");
  }

 private:
  std::optional<fs::file_time_type> time_of_record() const {
    std::error_code none;
    const fs::file_time_type time = fs::last_write_time(file_, none);
    return none ? std::nullopt : std::optional(time);
  }

  // These checks come first, so that a run is not refused after minutes of measuring.

  static void check_clock() {
    const std::string now = utc_now(), remedy = ": set it (timedatectl set-ntp true)";
    if (!plausible_time(now)) throw std::runtime_error("the clock of this machine says " + now + remedy);
    constexpr double day = 86400;
    struct stat program {};
    if (stat("/proc/self/exe", &program) == 0 && std::difftime(program.st_mtime, std::time(nullptr)) > day) {
      throw std::runtime_error("the clock of this machine says " + now + ", which is before this program was built" +
                               remedy);
    }
  }

  void say_if_busy(const Run& run) {
    if (quiet_between(run.at_start, run.at_end)) return;
    const auto percent = [](std::optional<double> share) { return number_text(100 * share.value_or(0)) + "%"; };
    terminal_.paragraph("note: this run wasn't quiet, because of other work or of more ranks than cores: for " +
                        percent(stall_between(run.at_start, run.at_end)) +
                        " of the time a task waited for a processor, and the host took " +
                        percent(steal_between(run.at_start, run.at_end)) +
                        " of the processors' time; the ranges cover this run, not the next one");
  }

  void say_waiting(double seconds_left) {
    const std::string left =
        seconds_left > 0 ? ", for about another " + std::to_string(static_cast<int>(seconds_left / 60) + 1) + " min"
                         : "";
    terminal_.line("another lab is measuring on this machine" + left + "; waiting for it to finish");
    std::fflush(nullptr);
  }

  void check_writable() const {
    try {
      check_can_be_written(file_);
    } catch (const FileError& error) {
      throw FileError(std::string(error.what()) + " (--out names another folder)");
    }
  }

  /// How long the last run took with this budget, from its record.
  std::optional<double> last_seconds() const {
    try {
      const nlohmann::json run = load_record(file_, labs_folder).at("run");
      if (run.at("budget") == options_.budget) return run.at("seconds").get<double>();
    } catch (const FileError&) {  // there is no usable record
    }
    return std::nullopt;
  }

  void introduce() {
    terminal_.heading(info_.id + (terminal_.style().utf8 ? " — " : " - ") + info_.title);
    terminal_.paragraph(machine_.canonical() + (machine_.emulated      ? "; emulated"
                                                : machine_.virtualised ? "; virtual machine"
                                                                       : ""));
    std::string isa;
    for (const std::string& name : machine_.isa) isa += (isa.empty() ? "" : " ") + name;
    if (!isa.empty()) terminal_.paragraph(isa);
    if (const std::string text = machine_.surroundings.text(machine_.cores); !text.empty()) terminal_.paragraph(text);
    for (const std::string& warning : warnings(inputs_, Run(), machine_)) {
      terminal_.paragraph("warning: " + warning + "; make publish will refuse the record");
    }
    if (is_unreadable_checkout(lab_texts.checkout)) {
      terminal_.paragraph(std::string("warning: git cannot open ") + lab_texts.checkout +
                          ", so the record will name no commit; tools/list-files, run there, says why");
    }
    terminal_.paragraph(machine_.os + "; " + inputs_["compiler"] + "; " + inputs_["flags"]);
  }

  void show_values(const nlohmann::json& values) {
    Table table{"Values", {"value", "median", "unit", "low", "high"}, {}};
    for (const nlohmann::json& value : values) {
      const auto end = [&](const char* name) { return value.contains(name) ? number_text(value[name]) : ""; };
      const std::string unit = value.at("unit");
      table.rows.push_back(
          {value.at("id"), number_text(value.at("value")), unit == "1" ? "" : unit, end("low"), end("high")});
    }
    if (table.rows.empty()) return;
    terminal_.table(table);
    terminal_.paragraph("low, high: 9 of 10 samples lie between them, or all samples if there are fewer than " +
                        std::to_string(kFewSamples));
  }

  void show_verdicts(const nlohmann::json& record) {
    if (!claims_.empty()) terminal_.heading("Claims");
    std::string undecided;
    for (const Claim& claim : claims_) {
      if (const std::optional<Verdict> verdict = decide(claim, record)) {
        terminal_.verdict(claim, *verdict);
      } else {
        undecided += (undecided.empty() ? "" : ", ") + claim.id;
      }
    }
    if (!undecided.empty()) terminal_.paragraph("undecided (their numbers were not measured here): " + undecided);
  }

  void write(const nlohmann::json& record) {
    const fs::path refused = fs::path(file_).replace_extension(".refused.json");
    const std::vector<Problem> problems = check(record, this_identity(), labs_folder);
    if (!problems.empty()) {
      write_atomically(refused, record_text(record));
      const std::string more = problems.size() > 1 ? " (and " + std::to_string(problems.size() - 1) + " more)" : "";
      throw FileError(line("the new " + file_.filename().string(), problems.front()) + more +
                      "; the refused record is in " + refused.lexically_normal().string());
    }
    write_atomically(file_, record_text(record));
    fs::remove(refused);
    terminal_.line("");
    terminal_.line("  record: " + file_.lexically_normal().string());
    if (!options_.if_stale)
      terminal_.line("  next: make site, which puts these numbers into the book");  // else make site has started it
  }

  LabInfo info_;
  Options options_;
  fs::path file_;
  Machine machine_;
  Inputs inputs_;
  std::vector<Law> laws_, definitions_;
  std::vector<Claim> claims_;
  Terminal terminal_;
};

int fail(const LabInfo& info, const std::string& reason, int status) {
  std::cerr << "lab-" << info.id << ": " << reason << '\n';
  return status;
}

}  // namespace

int run_lab(const LabInfo& info, int argc, char** argv) {
  const fs::path folder = executable_folder(argv[0]);
  Options options;
  options.out = folder.parent_path() / "records";
  if (const std::optional<int> status = read_command_line(info, argc, argv, options)) return *status;
  catch_interrupts();
  watch("lab-" + info.id);
  std::signal(SIGXFSZ, SIG_IGN);  // so that exceeding a file-size limit makes write() fail
  leave_no_core_files();
  forget_missing_preloads();
  speak_english();
  bypass_compiler_caches();
  try {
    watch_step("looking at this machine and its libraries", 0);
    if (options.within) end_within(*options.within);
    check_single_copy();
    LabRun run(info, options, folder);
    if (options.is_fresh) return run.is_fresh() ? 0 : 1;
    if (options.if_stale && run.is_fresh()) return 0;
    if (const std::optional<int> status = run.measure_elsewhere()) return *status;
    run.measure();
    return 0;
  } catch (const ConditionsChanged& change) {
    return fail(info, change.what(), 1);
  } catch (const Interrupted&) {
    if (time_is_up()) {
      const std::string seconds = std::to_string(*options.within);
      return fail(info, "not finished within " + seconds + " s; the previous record is unchanged", kTimeIsUp);
    }
    return fail(info, "interrupted; the previous record is unchanged", 128 + SIGINT);
  } catch (const std::exception& error) {
    return fail(info, error.what(), 1);
  }
}

}  // namespace hf
