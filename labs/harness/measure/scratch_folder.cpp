#include "scratch_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace hf {
namespace {

namespace fs = std::filesystem;

const std::string beginning = "hardware-first-scratch-", form = beginning + "XXXXXX";

/// \return a descriptor, -1 if another process uses the folder
int lock(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

/// Removes unused folders. A folder is unused if it can be locked. A process id would not show that, since other
/// containers and hosts number their own processes. Skips folders younger than a minute, which may not be locked yet.
void remove_left_behind(const fs::path& in) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(in, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning) || name.size() != form.size()) continue;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (age < std::chrono::minutes(1)) continue;
    const int unused = lock(entry.path());
    if (unused < 0) continue;
    fs::remove_all(entry.path(), ignored);
    close(unused);
  }
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const fs::path in = fs::temp_directory_path(error);
  if (!error) remove_left_behind(in);
  std::string name = (in / form).string();
  if (error || mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(name + ": cannot make a folder; set TMPDIR to one that can be written");
  }
  path_ = name;
  lock_ = lock(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace hf
