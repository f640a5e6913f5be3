#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hf {

/// A small record in which everything is right: the tests spoil one thing each.
nlohmann::json small_record();

/// Gives `record` the key that its inputs ask for.
void renew_key(nlohmann::json& record);

/// A point of a series with the quantiles that follow from its samples.
nlohmann::json point(double x, const std::vector<double>& samples);

/// A value with the quantiles that follow from its samples.
nlohmann::json value(const std::string& id, const std::string& unit, const std::vector<double>& samples);

/// A directory of its own, gone at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The content of `file`, and `text` as the content of `file`, made with its directories.
std::string content(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);

}  // namespace hf
