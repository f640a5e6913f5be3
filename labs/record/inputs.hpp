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

/// What a measurement depends on, by name: "source:labs/01-roofline/lab.cpp" → SHA-256 of its content, "compiler",
/// "flags", "library:NAME" → which one, "environment:NAME" → its value, "machine" → one line of text, "schema" → version of
/// the record format.
using Inputs = std::map<std::string, std::string>;

/// The value, as the build writes it, of an input that shows only when the lab runs.
inline constexpr const char* kFoundWhenItRuns = "found when it runs";

/// Whether a source, named from the project folder, has its say only between samples and after the last of them: what a lab
/// prints, and how it decides the chapter's claims. Nothing is measured again for it, and no record is old for it.
bool only_prints(const std::string& source);

/// What stands in a record for a source: the first 16 hexadecimal digits of the SHA-256 of its text. It tells that a file was
/// edited; who wants to deceive has easier ways.
std::string source_digest(std::string_view text);

/// Whether a record that says `recorded` was measured from this text; records of 2026 have all 64 digits.
bool is_digest_of(const std::string& recorded, std::string_view text);

/// "sha256:" and the SHA-256 over "name\0value\n" of every input in sorted order: `lab.key` of a record.
std::string input_key(const Inputs& inputs);

/// Inputs from JSON that load_json returned. Throws FileError, with `name` for the file, where it is not an object of
/// texts.
Inputs inputs_from(const nlohmann::json& json, const std::string& name);

/// What makes a record stale, one line each, empty when it is fresh: inputs that changed between `then` and `now`, as
/// in "labs/harness/clock.hpp changed" and "compiler: GNU 12.2.0 → 13.1.0".
std::vector<std::string> changes(const Inputs& then, const Inputs& now);

/// Of the sources that `then` names, those that are not in the checkout at `root` as they were, one line each as above.
/// Those that only print do not count; older records name them. Names that lead out of the checkout are gone. What else a
/// measurement depends on, such as the compiler or a source that has joined since, is not looked at: that takes a build, and
/// `changes`.
std::vector<std::string> changed_sources(const Inputs& then, const std::filesystem::path& root);

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
