#pragma once

#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "process.hpp"  // IWYU pragma: export

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

using ::content;
using ::write;

}  // namespace hf
