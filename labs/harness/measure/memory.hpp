/// \file
/// Memory to measure on: aligned, on huge or small pages, never more than is available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
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

  /// How much of what was touched lies on huge pages, from 0 to 1: a request is no promise, since free memory may be in
  /// pieces. Neighbouring buffers with the same request count together, because the kernel lists them as one.
  /// \return nothing if no page was touched, or if the system doesn't say
  std::optional<double> huge_share() const;

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

/// A buffer's size and Buffer::huge_share().
struct HugePages {
  std::size_t bytes;
  double share;
};

/// From this size a buffer counts as large. A core remembers the addresses of some thousand pages, so from here on small
/// pages make it look addresses up.
inline constexpr std::size_t large_buffer_bytes = std::size_t{16} << 20;

/// Below this share, a buffer's pages slow it down enough to say so.
inline constexpr double enough_huge_pages = 0.9;

/// The large buffer with the smallest share, of those that requested huge pages since the program began; nothing if
/// there was none.
std::optional<HugePages> fewest_huge_pages();

}  // namespace hf
