/// \file
/// Checks everything that can be wrong with a record.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hf {

/// One thing wrong with a record: where (a JSON pointer, empty for the whole), what was expected, what to do.
struct Problem {
  std::string pointer, expected, remedy;
};

/// The problem as one line: "FILE: /json/pointer: what was expected; remedy".
std::string line(const std::string& file, const Problem& problem);

/// The user and host of this process, which a record must not contain. Empty if unknown.
struct Identity {
  std::string host, user, home;
};

Identity this_identity();

/// True for a record of the page "Your machine, here" (static/measure-record.js), which contains little about the machine.
bool is_browsers(const nlohmann::json& record);

/// Everything wrong with `record`, in order of appearance; empty for a reliable record. Checks its shape first
/// (schema.json). If that is right, checks that the record is consistent, obeys the laws (law.hpp), and contains
/// nothing that identifies a person or a host. `labs` is the folder of the labs, for their current laws; empty for
/// none. Labs call this before they write a record: it also finds numbers that are not finite, which JSON text cannot
/// contain.
///
/// A consistent record has ids that differ, low ≤ median ≤ high, quantiles that follow from their samples (to a
/// relative error of 1e-4, since records may print fewer digits), points with samples, order or label, valid laws,
/// units that match the id, a key that is the hash of its inputs, a valid date, numbers of a plausible size, and the
/// machine's cores, except from a browser.
std::vector<Problem> check(const nlohmann::json& record, const Identity& identity = this_identity(),
                           const std::filesystem::path& labs = {});

/// The reasons not to publish a checked record: it comes from a browser, is quick, incomplete or emulated, was
/// built without optimisation or with a sanitizer, had fewer processors than it used (a control group's quota), or was
/// throttled.
std::vector<Problem> check_publishable(const nlohmann::json& record);

/// Why numbers measured with these compiler flags are not the machine's: "without -O2, -O3 or -Ofast", "with a
/// sanitizer". Empty if they are.
std::string refused_flags(const std::string& flags);

/// The reason to refuse the name of a machine's folder below figures/records, which becomes part of addresses and file
/// names: one line, empty for a good name.
std::string refused_folder(const std::filesystem::path& folder);

/// Texts in `record` that identify a person or a host: paths outside the system's directories, e-mail, MAC and IPv4
/// addresses, UUIDs, and `identity` itself; also characters that no honest text has (characters.hpp).
///
/// A name that is an ordinary word must not raise a false alarm: a user called "march", a host called "bookworm". A user
/// is therefore found only as "user@", a host only as "@host" or by its full name with a domain, and the home directory
/// only as the beginning of a path; all of them only in values that come from the machine (cpu, os, toolchain, notes,
/// inputs), never in keys.
std::vector<Problem> identifying(const nlohmann::json& record, const Identity& identity);

/// The current version of records.
constexpr int kSchemaVersion = 4;

/// True if a value or a series may have this id, or a number this unit, according to schema.json.
bool well_formed_id(const std::string& id);
bool known_unit(const std::string& unit);

/// True if the timestamp, like "2026-11-20T10:00:00Z", is a date and time in a year from which a record can be. This
/// machine's clock has no part in it: a clock that is behind must not refuse the records of others.
bool plausible_time(const std::string& text);

/// The places where `record` violates schema.json.
std::vector<Problem> check_schema(const nlohmann::json& record);

/// The unit that the end of `id` requires, such as "GB/s" for bandwidth_dram_gbs; empty if `unit` is acceptable.
std::string promised_unit(const std::string& id, const std::string& unit);

/// True if measured numbers in `unit` must be above zero: a speed, a time, a power.
bool is_positive_unit(const std::string& unit);

}  // namespace hf
