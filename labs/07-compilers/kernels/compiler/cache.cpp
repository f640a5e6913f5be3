#include "07-compilers/kernels/compiler/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/child.hpp"
#include "record/sha256.hpp"

namespace hf::compilers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view being_written = ".of-";

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns the path with $HOME for the home directory: messages go into records, which contain no user's name.
std::string shown(const fs::path& path) {
  const std::string text = path.string(), home = environment("HOME");
  return home.empty() || !text.starts_with(home + '/') ? text : "$HOME" + text.substr(home.size());
}

/// \param remedy  what would help, other than another folder
[[noreturn]] void refuse(const fs::path& path, const std::string& what, const std::string& remedy = "") {
  throw BuildError("cache " + shown(path) + ": " + what + "; " + remedy +
                   "name another folder in HARDWARE_FIRST_CACHE");
}

/// For folders that another user may have written to: removing write permissions would not make their files
/// trustworthy.
constexpr const char* delete_it = "delete the folder, or ";

struct stat status_of(const Descriptor& file) {
  struct stat status = {};
  if (fstat(file.number(), &status) != 0) status.st_uid = static_cast<uid_t>(-1);  // no user
  return status;
}

bool others_may_write(const struct stat& status) { return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

std::string target_of(const Descriptor& link) {
  char target[4096];  // as long as a path may be
  const ssize_t length = readlinkat(link.number(), "", target, sizeof target);
  return {target, length > 0 ? static_cast<std::size_t>(length) : 0};
}

Descriptor step(const Descriptor& from, const fs::path& name) {
  return Descriptor(openat(from.number(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

/// Opens a folder component by component, and creates missing ones. No other user can replace any of them meanwhile.
/// \param links  number of symbolic links followed so far
Descriptor open_folder(const fs::path& cache, const fs::path& path, int links = 0) {
  Descriptor at(open("/", O_PATH | O_CLOEXEC));
  fs::path above = "/";
  for (const fs::path& name : path.relative_path()) {
    if (name.empty()) continue;  // after a trailing slash
    const struct stat holder = status_of(at);
    if (others_may_write(holder) && (holder.st_mode & S_ISVTX) == 0)
      refuse(cache, "others may write in " + shown(above) + ", and put another in its place");
    Descriptor next = step(at, name);
    if (!next && errno == ENOENT && mkdirat(at.number(), name.c_str(), S_IRWXU) == 0) next = step(at, name);
    if (!next) refuse(cache, std::string("cannot be made: ") + std::strerror(errno));
    const struct stat status = status_of(next);
    if (status.st_uid != 0 && status.st_uid != geteuid()) refuse(cache, shown(above / name) + " is another user's");
    if (S_ISLNK(status.st_mode)) {
      constexpr int most_links = 40;  // the kernel's limit
      if (links == most_links) refuse(cache, "is a link to itself");
      next = open_folder(cache, above / target_of(next), links + 1);
    } else if (!S_ISDIR(status.st_mode)) {
      refuse(cache, shown(above / name) + " is no folder");
    }
    above /= name;
    at = std::move(next);
  }
  return at;
}

std::string seal(std::string_view bytes) { return "\nhardware-first " + sha256(bytes); }

/// True if a file ends with the hash of all bytes before it.
bool is_whole(const Descriptor& file) {
  std::string bytes;
  char part[1 << 16];
  for (ssize_t length; (length = pread(file.number(), part, sizeof part, static_cast<off_t>(bytes.size()))) > 0;)
    bytes.append(part, static_cast<std::size_t>(length));
  const std::size_t size = seal("").size();
  if (bytes.size() < size) return false;
  const std::string_view body(bytes.data(), bytes.size() - size);
  return bytes.substr(body.size()) == seal(body);
}

void write(const fs::path& file, const std::string& text, std::ios::openmode mode) {
  std::ofstream out(file, std::ios::binary | mode);
  out << text;
  out.close();
  if (!out) refuse(file.parent_path(), "cannot be written to", "make room or ");
}

void replace(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) refuse(to, error.message());
}

/// Returns a random name that no other process uses, on this machine or another.
std::string unique() {
  std::random_device random;
  std::ostringstream text;
  text << std::hex << random() << random();
  return text.str();
}

/// True if the name is one that the cache gives, now or in former versions.
bool is_cached(const fs::path& file) {
  constexpr std::size_t digits = 32;
  const std::string name = file.filename().string();
  const bool has_key = name.find_first_not_of("0123456789abcdef-") >= digits && name.size() > digits;
  return has_key && (name.ends_with(".so") || name.ends_with(".cpp"));
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

fs::path default_cache() {
  if (const std::string own = environment("HARDWARE_FIRST_CACHE"); !own.empty()) return own;
  if (const std::string user = environment("XDG_CACHE_HOME"); !user.empty()) return fs::path(user) / "hardware-first";
  if (const std::string home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache" / "hardware-first";
  throw BuildError("cache: HARDWARE_FIRST_CACHE, XDG_CACHE_HOME and HOME are not set; set one");
}

Cache::Cache(const fs::path& folder) : path_(fs::absolute(folder)), folder_(open_folder(path_, path_)) {
  const struct stat status = status_of(folder_);
  if (status.st_uid != geteuid()) refuse(path_, "is another user's");
  if (others_may_write(status)) refuse(path_, "others may write there", delete_it);
  struct statvfs system;
  if (fstatvfs(folder_.number(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0)
    refuse(path_, "no program may run there (noexec)");
}

void Cache::check_writable() const {
  const std::string name = unique();
  const Descriptor file(openat(folder_.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR));
  const bool well = file && ::write(file.number(), "x", 1) == 1;
  const int error = errno;
  unlinkat(folder_.number(), name.c_str(), 0);
  if (!well) refuse(path_, std::string("cannot be written to: ") + std::strerror(error), "make room or ");
}

Cache::Entry Cache::find(const std::string& key) const {
  const fs::path path = library(key);
  Descriptor file(openat(folder_.number(), path.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return {};
  if (!file) refuse(path, errno == ELOOP ? "is a link" : std::strerror(errno), delete_it);
  const struct stat status = status_of(file);
  if (!S_ISREG(status.st_mode)) refuse(path, "is no file", delete_it);
  if (status.st_uid != geteuid() || others_may_write(status)) refuse(path, "others may have written it", delete_it);
  if (!is_whole(file)) return {Descriptor(), "cache " + shown(path) + ": damaged; built anew"};
  for (const char* ending : {".so", ".cpp"})
    utimensat(folder_.number(), (key + ending).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return {std::move(file)};
}

void Cache::tidy() const {
  using namespace std::chrono_literals;
  constexpr auto longest_unused = 30 * 24h, longest_written = 24h;  // the latter for leftovers of killed processes
  constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;
  std::vector<fs::directory_entry> files;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(path_, error)) {
    if (is_cached(file.path()) && fs::is_regular_file(file.symlink_status(error))) files.push_back(file);
  }
  const auto used = [&](const fs::directory_entry& file) { return file.last_write_time(error); };
  std::ranges::sort(files, std::greater(), used);
  const auto now = fs::file_time_type::clock::now();
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& file : files) {
    bytes += file.file_size(error);
    const bool draft = file.path().filename().string().find(being_written) != std::string::npos;
    if (bytes > most_bytes || now - used(file) > (draft ? longest_written : longest_unused))
      fs::remove(file.path(), error);
  }
}

Cache::Draft::Draft(const Cache& cache, const std::string& key) : cache_(cache), key_(key) {
  const std::string stem = (cache.path_ / key).string() + std::string(being_written) + unique();
  source_ = stem + ".cpp";
  library_ = stem + ".so";
}

Cache::Draft::~Draft() {
  std::error_code error;
  for (const fs::path& file : {source_, library_}) fs::remove(file, error);
}

void Cache::Draft::write_source(const std::string& text) const { write(source_, text, std::ios::trunc); }

void Cache::Draft::keep() const {
  std::ifstream in(library_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  write(library_, seal(bytes), std::ios::app);
  replace(source_, cache_.path_ / (key_ + ".cpp"));
  replace(library_, cache_.library(key_));
}

}  // namespace hf::compilers
