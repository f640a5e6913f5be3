/// \file
/// What tells who measured, and where: no record may have it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hf {

struct Problem;

/// Who and where this process is: what must not be found in a record. Empty where the system does not tell.
struct Identity {
  std::string host;
  std::string user;
  std::string home;
};

/// The identity of this process, from the system.
Identity this_identity();

/// Texts in `record` that identify a person or a host: paths outside the system's directories, e-mail, MAC and IPv4
/// addresses, UUIDs, and `identity` itself; and control characters, which no honest text has.
///
/// Names that are words (a user called "dot") must not raise a false alarm, so host and user are looked for as whole
/// words only, only in what the machine told (cpu, os, toolchain, notes, inputs), and not where they are generic
/// ("root", "localhost") or shorter than four letters.
std::vector<Problem> identifying(const nlohmann::json& record, const Identity& identity);

}  // namespace hf
