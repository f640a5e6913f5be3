/// \file
/// Everything that can be wrong with a record.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "identity.hpp"

namespace hf {

/// One thing wrong with a record: where (a JSON pointer, empty for the whole), what was expected, what to do.
struct Problem {
  std::string pointer;
  std::string expected;
  std::string remedy;
};

/// The problem as the one line that is shown: "FILE: /json/pointer: what was expected; remedy".
std::string line(const std::string& file, const Problem& problem);

/// Everything wrong with `record`, in order of appearance; empty for a record that can be relied on. First its shape
/// (schema.json); where that is right, the laws (laws.hpp), the key, the time, and that nothing in it identifies a person
/// or a host. `labs` is the folder of the labs, for their present laws; empty for none. Labs call it before they write a
/// record: it also sees numbers that are not finite, which JSON text cannot hold.
std::vector<Problem> check(const nlohmann::json& record, const Identity& identity = this_identity(),
                           const std::filesystem::path& labs = {});

/// What keeps a checked record from being published: a quick, an incomplete or an emulated one.
std::vector<Problem> check_publishable(const nlohmann::json& record);

}  // namespace hf
