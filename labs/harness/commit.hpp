/// \file
/// Which commit of this repository a lab was built from.
#pragma once

#include <filesystem>
#include <string>

namespace hf {

/// The commit that a checkout is at.
struct Commit {
  std::string id = "unknown";  ///< 40 hex digits, or "unknown"
  bool dirty = false;          ///< tracked files differ from it
};

/// Asks git; "unknown" where there is no git, no checkout, or no commit yet.
Commit read_commit(const std::filesystem::path& checkout);

}  // namespace hf
