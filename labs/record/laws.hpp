/// \file
/// All laws of a lab, and where a record breaks them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "law.hpp"

namespace hf {

/// Laws as a lab writes them: a JSON list of at most 100 texts, each law once. `name` stands for the file in errors, which
/// tell the line. Throws FileError.
std::vector<Law> parse_laws(std::string_view text, const std::string& name);

/// The text of laws.json in the folder of the lab `id` below `labs`, empty where there is none. Throws FileError.
std::string laws_text(const std::filesystem::path& labs, const std::string& id);

/// Where `record` (consistent with itself) breaks a law: one of those it carries, or of its lab's laws.json below `labs`;
/// and where its laws are none, or leave out some of the file that it was measured with.
///
/// Honest records are noisy, so numbers are compared as intervals [low, high], which must disagree by more than a
/// slack: 10 % for arithmetic (speeds, and what follows from others), 25 % for memory (bandwidths and times: where pages
/// lie in a cache that others share moves them this much); plus the record's own noise floor, counted up to 50 %; plus
/// 25 % where the run was quick or not quiet. In a virtual machine, memory is shared with guests that it does not see, however
/// quiet it is itself: there memory is given 75 % more. Where the run was not quiet, or in a virtual machine, others may
/// have held up all the samples of one point, so one point of a series may break a law about its order. An emulated
/// machine obeys no law about speed.
std::vector<Problem> check_laws(const nlohmann::json& record, const std::filesystem::path& labs);

}  // namespace hf
