#include "commit.hpp"

#include <filesystem>
#include <sstream>
#include <string>

#include "command.hpp"

namespace hf {

Commit read_commit(const std::filesystem::path& checkout) {
  // The lock that git takes to refresh its index is optional, and another git may be at work.
  std::istringstream lines(output_of({"git", "--no-optional-locks", "-C", checkout.string(), "status", "--porcelain=v2",
                                      "--branch", "--untracked-files=no"}));
  Commit commit;
  const std::string oid = "# branch.oid ";  // followed by "(initial)" before the first commit
  for (std::string line; std::getline(lines, line);) {
    const std::string id = line.starts_with(oid) ? line.substr(oid.size()) : "";
    if (!id.empty() && id.find_first_not_of("0123456789abcdef") == std::string::npos) commit.id = id;
    if (!line.starts_with("#")) commit.dirty = true;
  }
  return commit;
}

}  // namespace hf
