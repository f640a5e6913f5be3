/// \file
/// Checks everything that can be wrong with a record.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "record.hpp"

namespace hf {

/// The user and host of this process, which a record must not contain. Empty if unknown.
struct Identity {
  std::string host, user, home;
  std::vector<std::string> other_homes = {};  ///< other names of the same folder
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

/// The reasons not to publish a checked record: it comes from a browser, is quick, incomplete, empty or emulated, has a
/// speed that no such machine can have, was built without optimisation or with a sanitizer, had fewer processors than it
/// used (a control group's quota), or was throttled.
std::vector<Problem> check_publishable(const nlohmann::json& record);

/// Why numbers measured with these compiler flags are not the machine's: "without -O2, -O3 or -Ofast", "with a
/// sanitizer". Empty if they are.
std::string refused_flags(const std::string& flags);

/// Texts in `record` that identify a person or a host: paths outside the system's directories, e-mail, MAC and IPv4
/// addresses, UUIDs, and `identity` itself; also characters that no honest text has (characters.hpp).
///
/// A name that is an ordinary word must not raise a false alarm: a user called "march", a host called "bookworm". A user
/// is therefore found only as "user@", a host only as "@host" or by its full name with a domain, and the home directory
/// only as a path, however it is written: "@/home/ann", "../../home/ann", "%2Fhome%2Fann"; all of them only in values
/// that come from the machine (cpu, os, toolchain, notes, inputs), never in keys.
std::vector<Problem> identifying(const nlohmann::json& record, const Identity& identity);

/// Reads a reliable record: load_json, then all checks in check.hpp, with the laws of the labs in `labs`. Throws
/// FileError with the first problem.
Json load_record(const std::filesystem::path& file, const std::filesystem::path& labs = {});

/// True if the timestamp, like "2026-11-20T10:00:00Z", is a date and time in a year from which a record can be. This
/// machine's clock has no part in it: a clock that is behind must not refuse the records of others.
bool plausible_time(const std::string& text);

}  // namespace hf
