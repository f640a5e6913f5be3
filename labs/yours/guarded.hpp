/// \file
/// Arrays between forbidden pages, which catch a kernel that reads or writes past an end.
#pragma once

#include <cstddef>
#include <string>

namespace hf::yours {

/// An array, usually of floats, that ends where a forbidden page begins. Before it are a pattern, which intact() checks,
/// and another forbidden page. If a kernel touches a forbidden page, the process names the array on standard output and exits (see
/// catch_bad_accesses()).
class GuardedArray {
 public:
  /// \param name  what the kernel's signature calls the array: "a"
  GuardedArray(const std::string& name, std::size_t count, std::size_t element_bytes = sizeof(float));
  ~GuardedArray();
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  std::byte* bytes() const { return data_; }

  /// From here on, a write to the array ends the process. \param why  ends the message: "which is an input"; null allows
  /// writes again
  void forbid_writes(const char* why) const;

  /// False if something was written just before the array.
  bool intact() const;

 private:
  std::size_t mapped_;
  std::byte* mapping_;
  std::byte* data_;
};

/// Exit status of a process whose kernel touched what it must not.
constexpr int bad_access_status = 3;

/// From here on, an access to a forbidden page, or any other invalid one, prints one line and ends the process with
/// bad_access_status.
void catch_bad_accesses();

}  // namespace hf::yours
