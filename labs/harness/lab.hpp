#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"
#include "results.hpp"
#include "sampling.hpp"
#include "steady_memory.hpp"
#include "terminal.hpp"

namespace hf {

enum class Budget { quick, full };

/// A part of a lab, with the time it should take in each budget.
struct Step {
  std::string name;  ///< as the progress bar shows it: "bandwidth, one thread"
  double quick_seconds;
  double full_seconds;
};

/// What a lab says about itself.
struct LabInfo {
  std::string id;     ///< "01-roofline"
  std::string title;  ///< "Move right, or buy bandwidth"
  std::vector<Step> steps;
};

/// Series that are plotted together in the terminal.
struct Plot {
  std::string title;
  std::vector<std::string> series;  ///< ids, all with the same axes
};

/// Everything a lab found out.
struct Results {
  std::vector<Series> series;
  std::vector<Value> values;
  std::vector<Claim> claims;
  std::vector<std::string> notes;  ///< what this machine did not have, one line each
  std::vector<Plot> plots;
  bool complete = true;  ///< false when something could not be measured that every machine can
};

/// What the body of a lab works with: what the machine is, how much time there is, and where results go.
class Lab {
 public:
  Lab(LabInfo info, Budget budget, Machine machine, Terminal& terminal);

  const Machine& machine() const { return machine_; }
  Budget budget() const { return budget_; }
  bool quick() const { return budget_ == Budget::quick; }

  /// How long the whole should take on this machine, when that is known better than from LabInfo::steps: for the
  /// progress bar, until the steps show it.
  void expect(double seconds);

  /// Begins the next step of LabInfo::steps; they are begun in their order. The progress bar shows it.
  /// @throws Interrupted
  /// @throws std::logic_error when the name is not that of the next step
  void begin(std::string_view step);

  /// How long the step just begun should take, seconds; 0 before the first.
  double step_seconds() const;

  /// How much of that is left, seconds, not below 0.
  double seconds_left() const;

  /// Sampling within one of @p parts equal parts of the present step: 31 rounds (11 when quick), cut short rather than
  /// take longer than step_seconds() / parts, and moving the progress bar. Change what does not suit.
  Plan plan(int parts = 1) const;

  /// plan() for what waits for memory: where memory is rationed, each sample begins in the steady state.
  Plan memory_plan(int parts = 1) const { return steady_memory_.memory_bound(plan(parts)); }

  /// Looks whether memory is rationed, which takes a second or so, and notes it where it is. run_lab() does.
  void look_at_memory();

  /// What look_at_memory() found.
  const SteadyMemory& steady_memory() const { return steady_memory_; }

  /// Moves the progress bar, at most five times a second. For long code between samples.
  /// @throws Interrupted
  void tick() const;

  /// Results, in the order they will stand in the record.
  /// @throws std::logic_error when an id repeats
  void add(Series series);
  void add(Value value);
  void add(Claim claim);

  /// A value added before: its median. @throws std::out_of_range
  double value(std::string_view id) const;

  /// Says in one line, in the terminal and in the record, what this machine did not have.
  void note(const std::string& line);

  /// note(), and marks the record incomplete: something could not be measured that every machine can.
  void incomplete(const std::string& line);

  /// Prints a table now: the predictions, before anything is timed; the results, after.
  void show(const Table& table);

  /// Has these series plotted together in the terminal at the end.
  void plot(std::string title, std::vector<std::string> series_ids);

  const Results& results() const { return results_; }

 private:
  double expected(const Step& step) const { return quick() ? step.quick_seconds : step.full_seconds; }
  double expected_in_all() const;
  double pace() const;
  void show_progress() const;

  LabInfo info_;
  Budget budget_;
  Machine machine_;
  Terminal& terminal_;
  SteadyMemory steady_memory_;
  std::size_t begun_ = 0;  ///< how many steps have been begun
  std::int64_t step_start_ns_ = 0;
  double presumed_pace_ = 1;                     ///< seconds that a second of LabInfo::steps should take
  double done_seconds_ = 0, done_expected_ = 0;  ///< of the steps that ended
  mutable std::int64_t last_shown_ns_ = 0;
  Results results_;
};

/// The main function of every lab: reads the command line, takes the measuring lock, shows what machine this is,
/// measures the noise floor, runs the body, prints values, plots and claims, and writes the record, checked, in one
/// rename. A failure leaves the previous record as it was.
/// @return exit status: 0 done, 1 failed with one line on standard error, 130 interrupted
int run_lab(const LabInfo& info, int argc, char** argv, const std::function<void(Lab&)>& body);

}  // namespace hf
