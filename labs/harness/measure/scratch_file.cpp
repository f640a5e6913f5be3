#include "scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace hf {

ScratchFile::ScratchFile() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "hardware-first-XXXXXX").string();
  if (error || (descriptor_ = mkostemp(name.data(), O_CLOEXEC)) < 0) return;
  unlink(name.c_str());
  path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace hf
