#include "07-compilers/bench/resident_memory.hpp"

#include <cstddef>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace hf::compilers {
namespace {

/// Bytes of this process's pages that are in memory, exactly: the counters of /proc/self/status lag behind.
std::optional<std::size_t> resident_bytes() {
  std::ifstream pages("/proc/self/smaps_rollup");
  for (std::string word; pages >> word;) {
    std::size_t kib = 0;
    if (word == "Rss:" && pages >> kib) return kib * 1024;
  }
  return {};
}

}  // namespace

std::optional<std::size_t> resident_growth(const std::function<void()>& work) {
  std::optional<std::size_t> before, after;
  std::exception_ptr error;
  std::thread([&] {
    before = resident_bytes();
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    after = resident_bytes();
  }).join();
  if (error) std::rethrow_exception(error);
  if (!before || !after) return {};
  return *after > *before ? *after - *before : 0;
}

}  // namespace hf::compilers
