/// \file
/// What a measurement depends on: the key of a record, and what makes it stale.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hf {

/// What a measurement depends on, by name: "source:labs/01-roofline/lab.cpp" → its digest and, of a file that was compiled with
/// other flags than most, these; "compiler", "flags", "library:NAME" → which one, "environment:NAME" → its value, "machine" →
/// one line of text, "isa:NAME" and "has:NAME" → whether it has these instructions or this, "schema" → version of the record format.
using Inputs = std::map<std::string, std::string>;

/// The value, as the build writes it, of an input that shows only when the lab runs.
inline constexpr const char* kFoundWhenItRuns = "found when it runs";

/// Whether a source, named from the project folder, can move a number: the chapters' own, what they have in common, and of the
/// instrument what measures. How a lab finds out what machine it is on shows in what it finds, which is an input of its own.
bool can_move_a_number(const std::string& source);

/// What stands in a record for a source: the first 16 hexadecimal digits of the SHA-256 of its tokens (tokens.hpp), so that a
/// comment, a blank or an include of this project ages nothing; of its bytes where it is no C++, or where the tokens are in doubt.
/// It tells that a file was edited; those who want to deceive have easier ways.
std::string source_digest(const std::filesystem::path& source, std::string_view text);

/// "sha256:" and the SHA-256 over "name\0value\n" of every input in sorted order, then "value\n" of the sources, each value
/// once, in sorted order: `lab.key` of a record. A source counts by what is in it, not by where it is.
std::string input_key(const Inputs& inputs);

/// Inputs from JSON that load_json returned. Throws FileError, with `name` for the file, where it is not an object of
/// texts.
Inputs inputs_from(const nlohmann::json& json, const std::string& name);

/// What makes a record stale, one line each, empty when it is fresh: inputs that changed between `then` and `now`, as
/// in "labs/harness/measure/clock.hpp changed" and "compiler: GNU 12.2.0 → 13.1.0". A source that moved has not changed, and
/// instructions that one of the two does not name say nothing of the machine.
std::vector<std::string> changes(const Inputs& then, Inputs now);

/// The digest of each file below labs/ in the checkout at `root`, by its name from there. Throws FileError where there is none.
std::map<std::string, std::string> source_digests(const std::filesystem::path& root);

/// Of the sources that `then` names, those that are not in a checkout as they were, one line each as above; one that moved is. What else a
/// measurement depends on, such as the compiler or a source that has joined since, is not looked at: that takes a build, and
/// `changes`.
std::vector<std::string> changed_sources(const Inputs& then, const std::map<std::string, std::string>& checkout);

/// As changes(), for a checked record, given the `budget` wanted ("quick" or "full"): a quick record does not serve where
/// a full one is wanted. `record why` and the labs' --if-stale both decide by this.
std::vector<std::string> staleness(const nlohmann::json& record, const Inputs& now, const std::string& budget);

/// Stands before the path of a shared library in what the build writes: which file that is, is told when the lab runs.
inline const std::string kFoundAt = "found at ";

/// "libgomp" for "/usr/lib/gcc/x86_64-linux-gnu/12/libgomp.so".
std::string library_name(const std::filesystem::path& file);

/// Which library a file is: the name that links lead to, which often ends in a version, and the beginning of its SHA-256,
/// or its size where it is too large to be read each time: "libgomp.so.1.0.0, sha256 94ab12cd01ef". "none" for no file.
std::string library_identity(const std::filesystem::path& file);

}  // namespace hf
