/// \file
/// A lab: its steps, the tools they use, where its results go, and its main function.
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

/// The texts that the build embeds in a lab's program. Each program has its own.
struct LabTexts {
  const char* id;           ///< the name of the lab's folder
  const char* laws;         ///< laws.json, from the lab's folder
  const char* definitions;  ///< definitions.json
  const char* claims;       ///< claims.json
  const char* checkout;     ///< the book's folder: "/home/anna/my-book"
  const char* version;      ///< the book's: "0.1.0"
};
extern const LabTexts lab_texts;

class Lab;

/// A part of a lab, with the time it should take in each budget.
struct Step {
  std::string name;  ///< shown in the progress bar: "bandwidth, one thread"
  std::function<void(Lab&)> measure;
  double quick_seconds;
  double full_seconds;
  std::vector<std::string> needs =
      {};                 ///< the steps that this one builds on, which are also measured if it is chosen alone
  bool may_fail = false;  ///< an exception is noted and the lab continues, for features that only some machines have
};

/// A lab's name, steps and hooks.
struct LabInfo {
  std::string id;     ///< "01-sorting"
  std::string title;  ///< "Where quicksort begins to pay"
  /// Prepares what the steps share: pins the thread, for example. Called when measuring begins, not for --help.
  std::function<void(Lab&)> prepare = {};
  std::vector<Step> steps;  ///< in the order of the chapter
  /// For a lab with several processes: starts them, each with this command line, waits, and returns their exit
  /// status; returns nullopt in a child. Called if there is something to measure, before the measuring lock is taken.
  std::function<std::optional<int>()> elsewhere = {};
};

/// A line of the source; as a default argument, the line of the call. (Clang 14 has no std::source_location.)
struct Place {
  const char* file;
  int line;

  static constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// All results of a lab.
struct Results {
  std::vector<Series> series;
  std::vector<Value> values;
  std::map<std::string, std::string, std::less<>> places;  ///< the line that added each value and series
  std::vector<std::string> notes;                          ///< what this machine did not have, one line each
  bool complete = true;  ///< false if something that every machine can measure is missing
};

/// The interface of a lab's steps: the machine, the time available, and where results go.
class Lab {
 public:
  Lab(LabInfo info, Budget budget, Machine machine, Terminal& terminal);

  const Machine& machine() const { return machine_; }
  Budget budget() const { return budget_; }
  bool quick() const { return budget_ == Budget::quick; }

  /// Sets how long the whole lab should take on this machine, if the lab has a better estimate than LabInfo::steps. The
  /// progress bar uses it until the steps show the actual pace.
  void expect(double seconds);

  /// From here on, measures only this step and the steps that it needs.
  void only(std::string_view step);

  /// Prepares, and runs the steps in order. The progress bar shows them.
  /// \throws Interrupted
  /// \throws std::exception  whatever a step throws, unless it may fail
  void run();

  /// Seconds that the current step should take; 0 before the first.
  double step_seconds() const;

  /// Seconds left of step_seconds(), at least 0.
  double seconds_left() const;

  /// Plans sampling within one of \p parts equal parts of the current step: 31 rounds (11 when quick), fewer if they
  /// would take longer than step_seconds() / parts. Moves the progress bar. Callers may change the plan.
  Plan plan(int parts = 1) const;

  /// plan() for memory-bound code: if memory is rationed, each sample begins in the steady state.
  Plan memory_plan(int parts = 1) const { return steady_memory_.memory_bound(plan(parts)); }

  /// Checks whether memory is rationed, which takes about a second, and adds a note if so. run_lab() calls it.
  void look_at_memory();

  /// The result of look_at_memory().
  const SteadyMemory& steady_memory() const { return steady_memory_; }

  /// Keeps the rounds in which the machine was in one state, judged by these variants, for example the roofs (see
  /// Sampling). Adds a note with the number of rounds left out and the other state.
  Sampling in_one_state(Sampling sampling, const std::vector<std::string>& ids);

  /// Moves the progress bar, at most five times a second. Call it in long code between samples.
  /// \throws Interrupted
  void tick() const;

  /// Adds a result. The record lists results in this order, each with the source line that added it.
  /// \throws std::logic_error for an id or a unit that records do not allow, a repeated id, or a unit that contradicts
  ///         the end of the id: `copy_gbs` is in GB/s
  /// \throws std::runtime_error for a number that is not finite, or not above zero in a unit that requires it
  void add(Series series, Place place = Place::here());
  void add(Value value, Place place = Place::here());

  /// Adds a value computed from measured ones in a way that no definition can express.
  void derived(const std::string& id, double value, const std::string& unit = "1", Place place = Place::here());

  /// Adds a value from a simulator or a model.
  void simulated(const std::string& id, double value, const std::string& unit = "1", Place place = Place::here());
  void modelled(const std::string& id, double value, const std::string& unit = "1", Place place = Place::here());

  /// Adds a published value. \param source  a key of chapters/references.bib
  void quoted(const std::string& id, double value, const std::string& unit, const std::string& source,
              Place place = Place::here());

  /// True if the value was added.
  bool has(std::string_view id) const;

  /// The median of a value added before. \throws std::out_of_range
  double value(std::string_view id) const;

  /// Adds one line to the terminal and the record about something that this machine does not have.
  void note(const std::string& line);

  /// Adds a note and marks the record incomplete: something that every machine can measure is missing.
  void incomplete(const std::string& line);

  /// Prints a table now: predictions before timing, results after it.
  void show(const Table& table);

  /// Prints series added before, side by side: one row for each point of the first, by its label or its x.
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
  std::set<std::string, std::less<>> wanted_;  ///< the steps to measure; empty for all
  const Step* present_ = nullptr;              ///< the running step, or the last that ran; null before the first
  std::int64_t step_start_ns_ = 0;
  double presumed_pace_ = 1;                     ///< actual seconds expected per second of LabInfo::steps
  double done_seconds_ = 0, done_expected_ = 0;  ///< of the completed steps
  mutable std::int64_t last_shown_ns_ = 0;
  Results results_;
};

/// Wraps a step that uses the data made by LabInfo::prepare for all steps.
template <class Shared>
std::function<void(Lab&)> with(std::optional<Shared>& shared, void (*measure)(Lab&, Shared&)) {
  return [&shared, measure](Lab& lab) { measure(lab, *shared); };
}

/// The main function of every lab: reads the command line, takes the measuring lock, shows the machine, measures the
/// noise floor, runs the steps, prints values and claims, checks the record and writes it in one rename. On failure the
/// previous record is unchanged.
/// \return exit status: 0 on success, 1 on failure with one line on standard error, 130 if interrupted
int run_lab(const LabInfo& info, int argc, char** argv);

}  // namespace hf
