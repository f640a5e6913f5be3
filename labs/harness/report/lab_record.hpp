/// \file
/// The record of a run.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/memory.hpp"
#include "lab.hpp"
#include "record/inputs.hpp"
#include "record/law.hpp"
#include "system_state.hpp"

namespace hf {

/// The commit that is checked out.
struct Commit {
  std::string id = "unknown";  ///< 40 hex digits, or "unknown"
  bool dirty = false;          ///< tracked files differ from it
};

/// Reads the commit from git; "unknown" without git or a commit, or if the folder is not the root of a checkout, as when
/// an archive was unpacked within another project.
Commit read_commit(const std::filesystem::path& checkout);

/// True if the folder is a checkout that git does not open: one of another user, or a worktree without its clone.
bool is_unreadable_checkout(const std::filesystem::path& folder);

/// How a run went, without its results.
struct Run {
  std::string started;  ///< UTC, "2026-11-20T10:00:00Z"
  double seconds = 0;
  Budget budget = Budget::full;
  SystemState at_start, before_body, at_end;
  double noise_floor = 0;
  std::optional<HugePages> fewest_huge_pages;
};

/// "quick" or "full".
const char* name(Budget budget);

/// Adds the inputs that the build cannot know: this machine, the versions of the libraries that the lab was linked to
/// or looks for (add_lab's PEERS), and values from the environment (its ENVIRONMENT).
void complete_inputs(Inputs& inputs, const Machine& machine);

/// What a reader of the record should know about how it came about: a build that is not optimised, throttling. One
/// line each. They refuse publication (check_publishable()).
std::vector<std::string> warnings(const Inputs& inputs, const Run& run, const Machine& machine);

/// A line for the record's notes if a large buffer got fewer huge pages than a measurement needs; else empty.
std::string huge_page_note(const std::optional<HugePages>& fewest);

/// Checks what is known of a record before it is measured: that it will not identify a person or a host.
/// Throws FileError with one line.
void check_before_measuring(const Inputs& inputs, const Machine& machine);

/// Makes the record of a run. `steal.before` is the share of processor time stolen before the body, while the noise
/// floor was measured; `steal.after` is the share stolen during the whole run.
nlohmann::json make_record(const LabInfo& info, const Inputs& inputs, const Run& run, const Machine& machine,
                           const Commit& commit, const Results& results, const std::vector<Law>& laws);

}  // namespace hf
