/// \file
/// Reading records, which strangers may have written.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "file.hpp"  // IWYU pragma: export  (what reading one throws)

namespace hf {

using Json = nlohmann::json;

/// `text` with control characters written as `\xNN`, so that a message made of foreign text stays one line and
/// cannot steer a terminal.
std::string printable(std::string_view text);

/// Parses JSON as records are written: UTF-8, no key twice in an object, at most 32 levels deep, strings of at most
/// 4096 bytes, arrays of at most 65536 items, numbers that fit a double. `name` stands for the file in errors.
/// Throws FileError. Says nothing about whether the JSON is a record: see check.hpp.
Json parse_json(std::string_view text, const std::string& name);

/// Reads a JSON file of at most 8 MiB and parses it with parse_json. Throws FileError.
Json load_json(const std::filesystem::path& file);

/// Reads a record that can be relied on: load_json, then everything in check.hpp, with the laws of the labs in `labs`.
/// Throws FileError with the first problem.
Json load_record(const std::filesystem::path& file, const std::filesystem::path& labs = {});

}  // namespace hf
