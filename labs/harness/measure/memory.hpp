/// \file
/// Memory to measure on: aligned, on huge or small pages, never more than is available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>

namespace hf {

/// The pages that a buffer requests.
enum class Pages {
  base,  ///< the smallest, 4 KiB on most machines; huge pages are declined
  huge   ///< transparent huge pages through madvise, if the system allows them
};

/// The message is one line: how much was requested, how much there is, what to do.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Memory for data, aligned to 2 MiB, zero until first touched. A page lies near the core that touches it first: see
/// Team::run(). Write to every page before timing reads: an untouched page is read from a shared zero page, not memory.
class Buffer {
 public:
  Buffer() = default;
  /// \throws OutOfMemory
  Buffer(std::size_t bytes, Pages pages);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::size_t size() const { return bytes_; }
  std::byte* data() const { return data_; }

  /// The buffer as an array of T, size() / sizeof(T) long.
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
};

/// Memory available now without swapping: the minimum of what the system, the control group and the address-space limit
/// leave.
/// \param root  replaces "/" in tests
/// \return bytes; if nothing can be read, half of the machine's memory according to sysconf
std::uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

/// True if madvise gives huge pages, found by requesting one.
bool huge_pages_work();

}  // namespace hf
