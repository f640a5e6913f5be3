/// \file
/// The inputs of a measurement, which give a record its key and can make it stale.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hf {

/// The inputs of a measurement by name: "source:labs/01-sorting/lab.cpp" → its digest, and its compiler flags if they
/// differ from most files'; "compiler", "flags", "library:NAME" → its version, "environment:NAME" → its value,
/// "machine" → one line of text, "isa:NAME" and "has:NAME" → whether the machine has it, "schema" → version of the
/// record format.
using Inputs = std::map<std::string, std::string>;

/// The build's placeholder for the value of an input that is only known when the lab runs.
inline constexpr const char* kFoundWhenItRuns = "found when it runs";

/// True if a source, named from the project folder, can change a number: the chapters' own sources, the shared ones,
/// and the measuring part of the instrument. The code that identifies the machine does not count, because its result is
/// a separate input.
bool can_move_a_number(const std::string& source);

/// The digest of a source in a record: the first 16 hexadecimal digits of the SHA-256 of its tokens (tokens.hpp), so
/// changing a comment, whitespace, one of our includes or a text that is only shown doesn't make a record stale. For files that are not C++ or have
/// doubtful tokens, the digest of the bytes. It detects edits, not deception, for which there are easier ways.
std::string source_digest(const std::filesystem::path& source, std::string_view text);

/// The `lab.key` of a record: "sha256:" and the SHA-256 of "name\0value\n" for every input in sorted order, then
/// "value\n" for the sources, each value once, in sorted order. Only a source's content counts, not its path.
std::string input_key(const Inputs& inputs);

/// Inputs from JSON that load_json returned. Throws FileError, which calls the file `name`, if it is not an object of
/// texts.
Inputs inputs_from(const nlohmann::json& json, const std::string& name);

/// The changes that make a record stale, one line each, empty if it is fresh: inputs that differ between `then` and
/// `now`, such as "labs/harness/measure/clock.hpp changed" and "compiler: GNU 12.2.0 → 13.1.0". Ignores a moved source,
/// and instruction sets that only one of the two names.
std::vector<std::string> changes(const Inputs& then, Inputs now);

/// The digest of each source below labs/ in the checkout at `root`, by its path from there. Throws FileError if there
/// is no such folder.
std::map<std::string, std::string> source_digests(const std::filesystem::path& root);

/// The sources in `then` that differ in a checkout, one line each as above; a moved source does not differ. Does not
/// check other inputs, such as the compiler or a source added since: that requires a build, and `changes`.
std::vector<std::string> changed_sources(const Inputs& then, const std::map<std::string, std::string>& checkout);

/// Like changes(), for a checked record and the `budget` needed ("quick" or "full"): a quick record is stale if a full
/// one is needed. `record why` and the labs' --if-stale both use this.
std::vector<std::string> staleness(const nlohmann::json& record, const Inputs& now, const std::string& budget);

/// The build's prefix for the path of a shared library, which is identified when the lab runs.
inline const std::string kFoundAt = "found at ";

/// `flags` with "…" for each path that is absolute or leaves its folder: "-I… @… -ffile-prefix-map=…=…". A path names
/// the folders of a person, and the files that it leads to are inputs themselves.
std::string without_paths(const std::string& flags);

/// "libgomp" for "/usr/lib/gcc/x86_64-linux-gnu/12/libgomp.so".
std::string library_name(const std::filesystem::path& file);

/// The identity of a library: the file name after following links, which often ends in a version, and the beginning of
/// its SHA-256, or its size if it is too large to read each time: "libgomp.so.1.0.0, sha256 94ab12cd01ef". "none" for
/// no file.
std::string library_identity(const std::filesystem::path& file);

}  // namespace hf
