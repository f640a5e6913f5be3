#include "scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace hf {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "hardware-first-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(name + ": cannot make a folder; set TMPDIR to one that can be written");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hf
