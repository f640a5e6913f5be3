#include "file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace hf {
namespace {

constexpr const char* temporary_mark = ".tmp";
constexpr std::size_t long_record = std::size_t{2} << 20;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what, const std::string& remedy) {
  throw FileError(file.string() + ": " + what + "; " + remedy);
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category());
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A rename is on the disk only once its directory is synced. Some file systems cannot sync one, which is no failure.
void sync_directory(const std::filesystem::path& directory) {
  const Descriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.number() >= 0) ::fsync(descriptor.number());
}

void write_and_sync(const std::filesystem::path& temporary, std::string_view text) {
  const Descriptor descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (descriptor.number() < 0) throw std::system_error(errno, std::generic_category());
  write_all(descriptor.number(), text);
  if (::fsync(descriptor.number()) != 0) throw std::system_error(errno, std::generic_category());
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

std::string remedy_for(const std::error_code& code) {
  const bool forbidden = code == std::errc::permission_denied || code == std::errc::operation_not_permitted ||
                         code == std::errc::read_only_file_system;
  const bool full = code == std::errc::no_space_on_device || code == std::errc::file_too_large ||
                    code == std::error_code(EDQUOT, std::generic_category());
  return forbidden ? "allow writing there or choose another place"
         : full    ? "free space or choose another place"
                   : "choose another place";
}

struct Remover {
  std::filesystem::path file;
  ~Remover() {
    std::error_code ignored;
    if (!file.empty()) std::filesystem::remove(file, ignored);
  }
};

// Writes a temporary file beside `file` and passes it to `then`; removes it if anything fails.
template <class Then>
void write_beside(const std::filesystem::path& file, std::string_view text, Then then) {
  const std::filesystem::path temporary = file.string() + temporary_mark + std::to_string(::getpid());
  Remover remover;
  try {
    std::filesystem::create_directories(directory_of(file));
    std::filesystem::remove(temporary);  // left by a killed process with the same id
    remover.file = temporary;
    write_and_sync(temporary, text);
    then(temporary);
  } catch (const std::system_error& error) {
    fail(file, "cannot be written (" + error.code().message() + ")",
         remedy_for(error.code()) + "; nothing was changed");
  }
}

// Removes temporary files of `file` whose process no longer exists.
void remove_left_behind(const std::filesystem::path& file) {
  const std::string beginning = file.filename().string() + temporary_mark;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory_of(file), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning)) continue;
    const long process = std::strtol(name.c_str() + beginning.size(), nullptr, 10);
    const bool gone = process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
    if (gone) std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

std::string read_file(const std::filesystem::path& file, std::size_t limit) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (descriptor.number() < 0 || ::fstat(descriptor.number(), &status) != 0) {
    fail(file, std::strerror(errno), "name a file that can be read");
  }
  if (!S_ISREG(status.st_mode)) fail(file, "not a regular file", "name a file that can be read");

  std::string text(limit + 1, '\0');  // one byte more than allowed, to detect a growing file
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(descriptor.number(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(file, std::strerror(errno), "name a file that can be read");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > limit) {
    fail(file, "expected at most " + std::to_string(limit) + " bytes", "name a file that this project wrote");
  }
  text.resize(size);
  return text;
}

void write_atomically(const std::filesystem::path& file, std::string_view text) {
  write_beside(file, text, [&](const std::filesystem::path& temporary) { std::filesystem::rename(temporary, file); });
  sync_directory(directory_of(file));
}

void write_atomically(std::span<const Writing> files) {
  if (files.empty()) return;
  const Writing& first = files.front();
  write_beside(first.file, first.text, [&](const std::filesystem::path& temporary) {
    write_atomically(files.subspan(1));
    std::filesystem::rename(temporary, first.file);
  });
  sync_directory(directory_of(first.file));
}

void check_can_be_written(const std::filesystem::path& file) {
  write_beside(file, std::string(long_record, ' '),
               [](const std::filesystem::path& temporary) { std::filesystem::remove(temporary); });
  remove_left_behind(file);
}

bool holds(const std::filesystem::path& file, std::string_view text) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && std::filesystem::file_size(file, ignored) == text.size() &&
         read_file(file, text.size()) == text;
}

bool write_if_changed(const std::filesystem::path& file, std::string_view text) {
  if (holds(file, text)) return false;
  write_atomically(file, text);
  return true;
}

}  // namespace hf
