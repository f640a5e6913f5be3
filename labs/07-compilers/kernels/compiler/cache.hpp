/// \file
/// A folder of libraries that this program loads, in which nobody but this user can have put anything.
///
/// What was built lies there as KEY.so, its source beside it as KEY.cpp: the key follows from all that it depends on, so what
/// was built in different ways, on the machines of a shared home say, lies side by side. At its end each library has the hash
/// of all before, so that what is cut off or changed is noticed before it is loaded. Files are written under names of their
/// own and renamed: who comes at the same time, or is killed, harms nobody. What nobody has used for long goes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace hf::compilers {

/// An open file; closed with this.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

/// The folder that is meant by an empty name: $HARDWARE_FIRST_CACHE, else $XDG_CACHE_HOME/hardware-first, else
/// ~/.cache/hardware-first. \throws BuildError
std::filesystem::path default_cache();

/// Everything here throws BuildError, which says what to do.
class Cache {
 public:
  /// Makes the folder where it is not there.
  explicit Cache(const std::filesystem::path& folder);

  /// Whether something can be kept there: for the beginning, before minutes of measuring.
  void check_writable() const;

  struct Entry {
    Descriptor file = Descriptor();  ///< of the library; none where there is none that is whole
    std::string remark = {};         ///< why, where there is one; else empty
  };
  /// What was kept, and counts as used now.
  Entry find(const std::string& key) const;

  std::filesystem::path library(const std::string& key) const { return path_ / (key + ".so"); }

  /// Files that are being written, gone again at the end of its scope unless they were kept.
  class Draft {
   public:
    Draft(const Cache& cache, const std::string& key);
    ~Draft();
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    const std::filesystem::path& source() const { return source_; }
    const std::filesystem::path& library() const { return library_; }

    void write_source(const std::string& text) const;
    /// Seals the library, and gives both their names.
    void keep() const;

   private:
    const Cache& cache_;
    std::string key_;
    std::filesystem::path source_, library_;
  };

  /// Removes what has not been used for long, and of more than there should be the oldest.
  void tidy() const;

 private:
  std::filesystem::path path_;
  Descriptor folder_;
};

}  // namespace hf::compilers
