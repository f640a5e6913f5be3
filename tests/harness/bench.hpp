/// \file
/// A folder in which tests run tiny-lab.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "process.hpp"

/// A folder for records, with its own lock, so that these tests do not wait for a measurement; over an old record, or none.
struct Bench {
  TemporaryFolder folder;
  std::filesystem::path out = folder.path() / "records", record = out / "99-tiny.json";

  explicit Bench(bool has_old_record = false);

  std::vector<std::string> command(const std::vector<std::string>& more = {}) const;
  std::map<std::string, std::string> environment(const std::string& does = "",
                                                 std::map<std::string, std::string> more = {}) const;
  Ended run(const std::string& does = "", const std::map<std::string, std::string>& more = {},
            const std::function<void()>& before = {}) const;
  Ended run_with(const std::vector<std::string>& more) const;

  std::vector<pid_t> processes() const;

  /// True if all processes of its labs end within a minute.
  bool none_is_left() const;
};

std::set<std::string> names_in(const std::filesystem::path& folder);
