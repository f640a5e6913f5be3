/// \file
/// Tries a reader's kernel: loads it from a shared library, checks it, counts its accesses, and races it.
///
/// tools/yours compiles the reader's file three times (with sanitizers, with counting, and as the labs are compiled) and
/// starts a chapter's trial, bin/yours-NN-slug, once for each, as a child that may crash or never end.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/statistics.hpp"

namespace hf::yours {

/// The kernel is wrong; the message is one line and names the first wrong element.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Prints on standard output what the kernel is about to compute, so that a crash or a timeout can be placed.
void trying(const std::string& what);

/// Prints it again, since a long silence means that a kernel never ends.
void still_trying();

/// Refuses an element, which is not a number if it was never written. \param where  "33 × 33 times 33 × 33" \throws Wrong
[[noreturn]] void refuse(const std::string& element, float got, double expected, const std::string& where);

/// Checks that no thread of the process computes once the kernel has returned.
/// \throws Wrong
void check_that_nothing_runs();

/// One row of the race's table.
struct Row {
  std::string id;     ///< "yours"
  std::string label;  ///< "packing"
  Estimate speed;
  Estimate of_roof;  ///< the speed as a share of the roof's (path.json names the roof), round by round
};

/// The result of a race at one size.
struct Heat {
  std::string name;       ///< of the size: "N = 1000"
  double x;               ///< what the figure's x axis shows
  std::vector<Row> rows;  ///< the reader's first, then the slowest, with which the figure may compare it
  /// The difference that chance alone produced: the roof was timed twice in each round. None if nothing was timed
  std::optional<double> noise = std::nullopt;
};

/// In a quiet race, chance makes at most this difference.
constexpr double most_noise = 0.1;

/// Why the times of a race decide nothing; empty if they do.
/// \param others  the share of the cores' time that other programs took
std::string disturbance(const std::vector<Heat>& heats, double others);

/// A quantity that decides the speed by the chapter's model: the reader's, and those of the chapter's kernels.
struct Count {
  std::string what;  ///< "bytes per multiply-add between L1 and L2"
  double yours;
  std::vector<std::pair<std::string, double>> others;  ///< by label, the best kernel last
};

/// What a chapter's trial does with the kernel's address. Each function may print with trying().
struct Trial {
  std::string id;        ///< "02-matmul"
  std::string function;  ///< the function's name in the reader's file: "product"
  /// Checks it on many shapes. \throws Wrong
  std::function<void(void* kernel)> check;
  std::function<std::vector<Count>(void* kernel)> count;
  /// Races it; if quick, at few sizes and in few rounds. \throws Wrong if a timed result is wrong
  std::function<std::vector<Heat>(void* kernel, bool quick)> race;
  std::string unit;   ///< of the speeds: "GFLOP/s"
  bool timed = true;  ///< false if the race counts, so that it need not have the machine to itself
};

/// The main function of a chapter's trial: `yours-NN-slug check|count|race LIBRARY`. Prints the result as JSON on the last
/// line of standard output.
/// \return 0; 1 if the kernel is wrong, with one line; 2 for a wrong command line or a library without the function
int run_trial(const Trial& trial, int argc, char** argv);

}  // namespace hf::yours
