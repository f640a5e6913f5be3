/// \file
/// A folder of libraries that this program loads, in which no other user can have written.
///
/// A library is stored as KEY.so, its source as KEY.cpp. The key is a hash of everything the build depends on, so
/// different builds, for example by the machines of a shared home, do not collide. Each library ends with the hash of
/// all bytes before it, so a truncated or changed file is detected before it is loaded. Files are written under unique
/// names and then renamed, so concurrent and killed processes do no harm. Files that have not been used for a long time
/// are deleted.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace hf::compilers {

/// An open file, closed by the destructor.
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

/// Returns the folder to use if none is given: $HARDWARE_FIRST_CACHE, else $XDG_CACHE_HOME/hardware-first, else
/// ~/.cache/hardware-first. \throws BuildError
std::filesystem::path default_cache();

/// A cache folder. All functions throw BuildError, whose text names the remedy.
class Cache {
 public:
  /// Creates the folder if it does not exist.
  explicit Cache(const std::filesystem::path& folder);

  /// Throws if nothing can be written to the cache; to be called before minutes of measuring.
  void check_writable() const;

  struct Entry {
    Descriptor file = Descriptor();  ///< of the library; empty if there is no intact one
    std::string remark = {};         ///< why an existing library is not used; else empty
  };
  /// Returns the library with this key, and marks it as used now.
  Entry find(const std::string& key) const;

  std::filesystem::path library(const std::string& key) const { return path_ / (key + ".so"); }

  /// Files that are being written; the destructor deletes them unless they were kept.
  class Draft {
   public:
    Draft(const Cache& cache, const std::string& key);
    ~Draft();
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    const std::filesystem::path& source() const { return source_; }
    const std::filesystem::path& library() const { return library_; }

    void write_source(const std::string& text) const;
    /// Appends the hash to the library, and renames both files to their final names.
    void keep() const;

   private:
    const Cache& cache_;
    std::string key_;
    std::filesystem::path source_, library_;
  };

  /// Deletes files that have not been used for a long time and, above a total size, the oldest.
  void tidy() const;

 private:
  std::filesystem::path path_;
  Descriptor folder_;
};

}  // namespace hf::compilers
