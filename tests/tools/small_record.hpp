#pragma once

#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/measure/scratch_folder.hpp"

namespace hf {

/// A small record without faults: each test changes one thing.
nlohmann::json small_record();

/// Gives `record` the key that follows from its inputs.
void renew_key(nlohmann::json& record);

/// A point of a series with the quantiles that follow from its samples.
nlohmann::json point(double x, const std::vector<double>& samples);

/// A value with the quantiles that follow from its samples.
nlohmann::json value(const std::string& id, const std::string& unit, const std::vector<double>& samples);

/// A temporary directory, removed at the end of the scope.
struct TemporaryDirectory : ScratchFolder {
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }
};

/// The message of the error that `read` throws, or "accepted".
template <class Read>
std::string refusal_of(Read read) {
  try {
    read();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

/// Reads `file`; writes `text` as the content of `file`, after creating its directories.
std::string content(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);

}  // namespace hf
