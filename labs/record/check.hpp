/// \file
/// Everything that can be wrong with a record.
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

/// The problem as the one line that is shown: "FILE: /json/pointer: what was expected; remedy".
std::string line(const std::string& file, const Problem& problem);

/// Who and where this process is: what must not be found in a record. Empty where the system does not tell.
struct Identity {
  std::string host, user, home;
};

Identity this_identity();

/// Everything wrong with `record`, in order of appearance; empty for a record that can be relied on. First its shape
/// (schema.json); where that is right, whether it agrees with itself, the laws (law.hpp), and that nothing in it identifies
/// a person or a host. `labs` is the folder of the labs, for their present laws; empty for none. Labs call it before they
/// write a record: it also sees numbers that are not finite, which JSON text cannot hold.
///
/// To agree with itself is: ids that differ, low ≤ median ≤ high, quantiles that follow from their samples (to a relative
/// error of 1e-4, for records that print fewer digits), points with samples, order or label, laws, units that fit the id,
/// a key that is the hash of its inputs, a date that is one and has been, numbers of a size that something measured has.
std::vector<Problem> check(const nlohmann::json& record, const Identity& identity = this_identity(),
                           const std::filesystem::path& labs = {});

/// What keeps a checked record from being published: a browser's (static/measure-record.js makes those), a quick, an
/// incomplete or an emulated one.
std::vector<Problem> check_publishable(const nlohmann::json& record);

/// What is wrong with the name of a machine's folder below figures/records, which stands in addresses and file names: as
/// one line, empty for a good name.
std::string refused_folder(const std::filesystem::path& folder);

/// Texts in `record` that identify a person or a host: paths outside the system's directories, e-mail, MAC and IPv4
/// addresses, UUIDs, and `identity` itself; and characters that no honest text has (characters.hpp).
///
/// Names that are words (a user called "dot") must not raise a false alarm, so host and user are looked for as whole
/// words only, only in what the machine told (cpu, os, toolchain, notes, inputs), and not where they are generic
/// ("root", "localhost") or shorter than four letters.
std::vector<Problem> identifying(const nlohmann::json& record, const Identity& identity);

/// The version of records that are written and read now.
constexpr int kSchemaVersion = 4;

/// Whether `record upgrade` makes one of the present version of it: of the version before.
bool is_upgradable(const nlohmann::json& record);

/// Whether a value or a series may be called so, and whether numbers have that unit, as schema.json says.
bool well_formed_id(const std::string& id);
bool known_unit(const std::string& unit);

/// Whether a record may say that it began then: "2026-11-20T10:00:00Z", since there is this project, and until now.
/// A day of tolerance: the clock of the machine that measured may be ahead of this one's.
bool plausible_time(const std::string& text);

/// Where `record` departs from schema.json.
std::vector<Problem> check_schema(const nlohmann::json& record);

/// The unit that a value called `id` must have by the end of its id, as in "GB/s" for bandwidth_dram_gbs; empty where
/// `unit` will do.
std::string promised_unit(const std::string& id, const std::string& unit);

/// Whether a number in `unit` is more than zero wherever it was measured: a speed, a time, a power.
bool is_positive_unit(const std::string& unit);

}  // namespace hf
