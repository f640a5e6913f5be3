/// \file
/// Memory to measure on: aligned, on huge or small pages, and no more than there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>

namespace hf {

/// Which pages a buffer asks for.
enum class Pages {
  base,  ///< the smallest, 4 KiB on most machines; huge pages are declined
  huge   ///< transparent huge pages through madvise, where the system gives them
};

/// The message is one line: how much was asked for, how much there is, what to do.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Memory for data, aligned to 2 MiB, zero until first touched. Whoever touches a page first decides where it lies:
/// see Team::run(). The zero page is not memory: write to every page before reading for time.
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

/// Memory that can be had now without swapping: the least of what the system, the control group and the address-space
/// limit leave.
/// \param root  stands in for "/" in tests
/// \return bytes; where nothing can be read, half of what sysconf says the machine has
std::uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

/// Whether madvise gives huge pages, found by asking for one and looking.
bool huge_pages_work();

}  // namespace hf
