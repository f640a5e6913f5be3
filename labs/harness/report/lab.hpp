/// \file
/// What a lab is: its steps, what it works with, where its results go, and its main function.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/machine.hpp"        // IWYU pragma: export
#include "harness/measure/budget.hpp"         // IWYU pragma: export
#include "harness/measure/results.hpp"        // IWYU pragma: export
#include "harness/measure/sampling.hpp"       // IWYU pragma: export
#include "harness/measure/steady_memory.hpp"  // IWYU pragma: export
#include "terminal.hpp"                       // IWYU pragma: export

namespace hf {

/// What the build put into a lab's program from the lab's folder: laws.json, definitions.json and claims.json. Each program has
/// its own.
struct LabTexts {
  const char* laws;
  const char* definitions;
  const char* claims;
};
extern const LabTexts lab_texts;

class Lab;

/// A part of a lab, with the time it should take in each budget.
struct Step {
  std::string name;  ///< as the progress bar shows it: "bandwidth, one thread"
  std::function<void(Lab&)> measure;
  double quick_seconds;
  double full_seconds;
  std::vector<std::string> needs =
      {};                 ///< the steps that it builds on, which are measured with it when it is wanted alone
  bool may_fail = false;  ///< what it throws is noted, and the lab goes on: for what only some machines have
};

/// What a lab is.
struct LabInfo {
  std::string id;     ///< "01-roofline"
  std::string title;  ///< "Move right, or buy bandwidth"
  /// Where the steps share something, makes it: pins the thread, say. Called when the measuring begins, not for --help.
  std::function<void(Lab&)> prepare = {};
  std::vector<Step> steps;  ///< in the order of the chapter
  /// Where a lab needs several processes: starts them, each with this command line, waits, and returns their exit status;
  /// nothing in a process that was started so. Called when there is something to measure, before the measuring lock is taken.
  std::function<std::optional<int>()> elsewhere = {};
};

/// A line of the source: as a default argument, that of the call. (Clang 14 has no std::source_location.)
struct Place {
  const char* file;
  int line;

  static constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// Everything a lab found out.
struct Results {
  std::vector<Series> series;
  std::vector<Value> values;
  std::map<std::string, std::string, std::less<>> places;  ///< of each value and series: the line that added it
  std::vector<std::string> notes;                          ///< what this machine did not have, one line each
  bool complete = true;  ///< false when something could not be measured that every machine can
};

/// What the steps of a lab work with: what the machine is, how much time there is, and where results go.
class Lab {
 public:
  Lab(LabInfo info, Budget budget, Machine machine, Terminal& terminal);

  const Machine& machine() const { return machine_; }
  Budget budget() const { return budget_; }
  bool quick() const { return budget_ == Budget::quick; }

  /// How long the whole should take on this machine, when that is known better than from LabInfo::steps: for the
  /// progress bar, until the steps show it.
  void expect(double seconds);

  /// From here on, only this step is measured, and those that it needs.
  void only(std::string_view step);

  /// Prepares, and takes the steps in their order. The progress bar shows them.
  /// \throws Interrupted
  /// \throws what a step throws that may not fail
  void run();

  /// How long the present step should take, seconds; 0 before the first.
  double step_seconds() const;

  /// How much of that is left, seconds, not below 0.
  double seconds_left() const;

  /// Sampling within one of \p parts equal parts of the present step: 31 rounds (11 when quick), cut short rather than
  /// take longer than step_seconds() / parts, and moving the progress bar. Change what does not suit.
  Plan plan(int parts = 1) const;

  /// plan() for what waits for memory: where memory is rationed, each sample begins in the steady state.
  Plan memory_plan(int parts = 1) const { return steady_memory_.memory_bound(plan(parts)); }

  /// Looks whether memory is rationed, which takes a second or so, and notes it where it is. run_lab() does.
  void look_at_memory();

  /// What look_at_memory() found.
  const SteadyMemory& steady_memory() const { return steady_memory_; }

  /// The rounds in which the machine was in one state, as these variants saw it, say the roofs (see Sampling); notes how
  /// many were left out, and what the other state was. For steps.
  Sampling in_one_state(Sampling sampling, const std::vector<std::string>& ids);

  /// Moves the progress bar, at most five times a second. For long code between samples.
  /// \throws Interrupted
  void tick() const;

  /// Results, in the order they will stand in the record, which also says in which line of the source each was added.
  /// \throws std::logic_error for an id or a unit that no record may have, an id that repeats, a unit that is not what the
  ///         end of the id says ("…_gbs" is in GB/s)
  /// \throws std::runtime_error for a number that is none, or that is not above zero in a unit in which it must be
  void add(Series series, Place place = Place::here());
  void add(Value value, Place place = Place::here());

  /// Adds a value that follows from what was measured, in a way that no definition can say.
  void derived(const std::string& id, double value, const std::string& unit = "1", Place place = Place::here());

  /// Adds a value that a simulator or a model gave.
  void simulated(const std::string& id, double value, const std::string& unit = "1", Place place = Place::here());
  void modelled(const std::string& id, double value, const std::string& unit = "1", Place place = Place::here());

  /// Adds a value that others published. \param source  a key of chapters/references.bib
  void quoted(const std::string& id, double value, const std::string& unit, const std::string& source,
              Place place = Place::here());

  /// Whether a value was added.
  bool has(std::string_view id) const;

  /// A value added before: its median. \throws std::out_of_range
  double value(std::string_view id) const;

  /// Says in one line, in the terminal and in the record, what this machine did not have.
  void note(const std::string& line);

  /// note(), and marks the record incomplete: something could not be measured that every machine can.
  void incomplete(const std::string& line);

  /// Prints a table now: the predictions, before anything is timed; the results, after.
  void show(const Table& table);

  /// The same of series added before, side by side: a row for each point of the first, by its label or its x.
  /// \throws std::out_of_range for a series that was not added
  void show(const std::string& title, const std::vector<std::string>& series);

  const Results& results() const { return results_; }

 private:
  const Value* find(std::string_view id) const;
  bool is_wanted(const Step& step) const { return wanted_.empty() || wanted_.contains(step.name); }
  void run(const Step& step);
  double expected(const Step& step) const { return seconds_in(budget_, step.quick_seconds, step.full_seconds); }
  double expected_in_all() const;
  double pace() const;
  void show_progress() const;

  LabInfo info_;
  Budget budget_;
  Machine machine_;
  Terminal& terminal_;
  SteadyMemory steady_memory_;
  std::set<std::string, std::less<>> wanted_;  ///< the steps to be measured; empty for all
  const Step* present_ = nullptr;              ///< the step that runs, or ran last; null before the first
  std::int64_t step_start_ns_ = 0;
  double presumed_pace_ = 1;                     ///< seconds that a second of LabInfo::steps should take
  double done_seconds_ = 0, done_expected_ = 0;  ///< of the steps that ended
  mutable std::int64_t last_shown_ns_ = 0;
  Results results_;
};

/// The step's function for one that takes what the steps share, which LabInfo::prepare makes.
template <class Shared>
std::function<void(Lab&)> with(std::optional<Shared>& shared, void (*measure)(Lab&, Shared&)) {
  return [&shared, measure](Lab& lab) { measure(lab, *shared); };
}

/// The main function of every lab: reads the command line, takes the measuring lock, shows what machine this is,
/// measures the noise floor, runs the steps, prints values and claims, and writes the record, checked, in one
/// rename. A failure leaves the previous record as it was.
/// \return exit status: 0 done, 1 failed with one line on standard error, 130 interrupted
int run_lab(const LabInfo& info, int argc, char** argv);

}  // namespace hf
