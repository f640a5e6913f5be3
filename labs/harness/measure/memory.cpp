#include "memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "harness/machine/machine.hpp"

namespace hf {
namespace {

constexpr std::size_t alignment = std::size_t{2} << 20;

/// The number after "Name:" in a file of /proc, in bytes if the unit is kB.
std::optional<std::uint64_t> read_kilobytes(const std::filesystem::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name + ":")) continue;
    return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> read_number(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;  // also "max"
}

/// The memory that a control group (version 2) uses and cannot release: all but its page cache, which the kernel drops
/// on demand.
std::uint64_t used_by_group(const std::filesystem::path& group) {
  std::uint64_t used = read_number(group / "memory.current").value_or(0);
  std::ifstream in(group / "memory.stat");
  std::string name;
  for (std::uint64_t bytes = 0; in >> name >> bytes;) {
    if (name == "active_file" || name == "inactive_file") used -= std::min(used, bytes);
  }
  return used;
}

std::uint64_t left(std::uint64_t limit, std::optional<std::uint64_t> used) {
  return limit > used.value_or(0) ? limit - used.value_or(0) : 0;
}

std::uint64_t left_in_address_space(const std::filesystem::path& root) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return left(limit.rlim_cur, read_kilobytes(root / "proc/self/status", "VmSize"));
}

/// The share on huge pages of what was touched between two addresses, from the kernel's list of mappings.
std::optional<double> huge_share_between(std::uintptr_t begin, std::uintptr_t end) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  std::uint64_t touched = 0, huge = 0;  // kB
  for (std::string line; std::getline(maps, line);) {
    const auto kilobytes = [&](const std::string& name) -> std::uint64_t {
      return line.starts_with(name) ? std::strtoull(line.c_str() + name.size(), nullptr, 10) : 0;
    };
    std::uintptr_t from = 0, to = 0;
    char dash = 0;
    std::istringstream fields(line);
    if (fields >> std::hex >> from >> dash >> to && dash == '-') inside = from < end && begin < to;
    if (!inside) continue;
    touched += kilobytes("Rss:");
    huge += kilobytes("AnonHugePages:");
  }
  if (touched == 0) return std::nullopt;
  return static_cast<double>(huge) / static_cast<double>(touched);
}

/// The large buffers that requested huge pages. A buffer is looked at when it goes, since its pages come as it is
/// touched.
class LargeBuffers {
 public:
  void add(const Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    alive_[buffer.data()] = buffer.size();
  }

  void remove(const Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    if (alive_.erase(buffer.data()) == 1) look_at(buffer.data(), buffer.size());
  }

  std::optional<HugePages> fewest() {
    const std::lock_guard lock(mutex_);
    for (const auto& [data, bytes] : alive_) look_at(data, bytes);
    return fewest_;
  }

 private:
  void look_at(const std::byte* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::optional<double> share = huge_share_between(begin, begin + bytes);
    if (share && (!fewest_ || *share < fewest_->share)) fewest_ = {bytes, *share};
  }

  std::mutex mutex_;
  std::map<const std::byte*, std::size_t> alive_;
  std::optional<HugePages> fewest_;
};

/// Never destroyed, because a thread's own buffers may outlive the objects of this file.
LargeBuffers& large_buffers() {
  static LargeBuffers& buffers = *new LargeBuffers;
  return buffers;
}

}  // namespace

Buffer::Buffer(std::size_t bytes, Pages pages) : bytes_(bytes), mapped_(bytes + alignment) {
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw OutOfMemory("cannot get " + capacity_text(bytes) + " of memory, " + capacity_text(available_memory_bytes()) +
                      " are available; close other programs or raise the limit (ulimit -v)");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = reinterpret_cast<std::byte*>((address + alignment - 1) / alignment * alignment);
  // Fails if the kernel has no huge pages: the buffer then has the available pages.
  madvise(mapping_, mapped_, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  if (pages == Pages::huge && bytes >= large_buffer_bytes) large_buffers().add(*this);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

Buffer::~Buffer() {
  if (mapping_ == nullptr) return;
  if (bytes_ >= large_buffer_bytes) large_buffers().remove(*this);
  munmap(mapping_, mapped_);
}

std::optional<double> Buffer::huge_share() const {
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  return huge_share_between(begin, begin + bytes_);
}

std::uint64_t available_memory_bytes(const std::filesystem::path& root) {
  const auto half_of_machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t available = read_kilobytes(root / "proc/meminfo", "MemAvailable").value_or(half_of_machine);
  // Inside a container the group's own limit is at the root of the mount; tries version 2, then version 1.
  const std::filesystem::path group = root / "sys/fs/cgroup";
  if (const auto limit = read_number(group / "memory.max")) {
    available = std::min(available, left(*limit, used_by_group(group)));
  } else if (const auto old_limit = read_number(group / "memory/memory.limit_in_bytes")) {
    available = std::min(available, left(*old_limit, read_number(group / "memory/memory.usage_in_bytes")));
  }
  return std::min(available, left_in_address_space(root));
}

bool huge_pages_work() {
  const std::size_t bytes = 2 * alignment;
  try {
    const Buffer buffer(bytes, Pages::huge);
    std::fill_n(buffer.data(), bytes, std::byte{1});
    return buffer.huge_share().value_or(0) > 0;
  } catch (const OutOfMemory&) {
    return false;
  }
}

std::optional<HugePages> fewest_huge_pages() { return large_buffers().fewest(); }

}  // namespace hf
