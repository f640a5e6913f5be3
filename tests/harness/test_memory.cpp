#include <doctest/doctest.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "process.hpp"

TEST_CASE("a buffer is aligned, zero, writable, and as long as asked") {
  for (const hf::Pages pages : {hf::Pages::base, hf::Pages::huge}) {
    const hf::Buffer buffer(3'000'000, pages);
    CHECK(buffer.size() == 3'000'000);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % (2 << 20) == 0);
    const auto numbers = buffer.as<float>();
    CHECK(numbers.size() == 750'000);
    CHECK(std::all_of(numbers.begin(), numbers.end(), [](float x) { return x == 0; }));
    std::fill(numbers.begin(), numbers.end(), 1.5f);
    CHECK(numbers.back() == 1.5f);
  }
}

TEST_CASE("a buffer that moves leaves nothing behind") {
  hf::Buffer first(1000, hf::Pages::base);
  first.as<char>()[7] = 'x';
  hf::Buffer second(std::move(first));
  CHECK(first.data() == nullptr);  // NOLINT(bugprone-use-after-move): that it is empty now
  CHECK(second.as<char>()[7] == 'x');
  hf::Buffer third;
  third = std::move(second);
  CHECK(third.as<char>()[7] == 'x');
}

TEST_CASE("where the address space is limited, that is what is available, and asking for more says so in one line" *
          doctest::skip(!memory_can_be_limited)) {
  CHECK(in_child([] {
    const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    if (hf::available_memory_bytes() > limit.rlim_cur) return false;
    try {
      hf::Buffer(std::size_t{2} << 30, hf::Pages::base);
    } catch (const hf::OutOfMemory& error) {
      const std::string message = error.what();
      return message.starts_with("cannot get 2 GiB of memory") && message.find('\n') == std::string::npos;
    }
    return false;
  }));
}

TEST_CASE("available memory is the least of what machine and control group leave") {
  const TemporaryFolder root;
  write(root.path() / "proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable:    3000000 kB\n");
  CHECK(hf::available_memory_bytes(root.path()) == 3'000'000ull * 1024);
  write(root.path() / "sys/fs/cgroup/memory.max", "max\n");
  CHECK(hf::available_memory_bytes(root.path()) == 3'000'000ull * 1024);
  write(root.path() / "sys/fs/cgroup/memory.max", "1000000000\n");
  write(root.path() / "sys/fs/cgroup/memory.current", "600000000\n");
  write(root.path() / "sys/fs/cgroup/memory.stat", "anon 200000000\ninactive_file 300000000\nactive_file 100000000\n");
  CHECK(hf::available_memory_bytes(root.path()) == 800'000'000);  // the page cache is freed on demand
}

TEST_CASE("where nothing can be read there is still an answer") {
  const TemporaryFolder empty;
  CHECK(hf::available_memory_bytes(empty.path()) > 0);
}

TEST_CASE("a process that may have no huge pages is told that they do not work" *
          doctest::skip(hf::probe_machine().emulated)) {  // qemu-user doesn't know this prctl
  CHECK(in_child([] { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0 && !hf::huge_pages_work(); }));
}

TEST_CASE("a buffer says how much of what was touched lies on huge pages") {
  hf::Buffer huge(hf::large_buffer_bytes, hf::Pages::huge);
  CHECK_FALSE(huge.huge_share());
  std::fill_n(huge.data(), huge.size(), std::byte{1});
  const hf::Buffer base(hf::large_buffer_bytes, hf::Pages::base);
  std::fill_n(base.data(), base.size(), std::byte{1});
  if (!hf::huge_pages_work()) return;
  CHECK(huge.huge_share().value() > 0);
  CHECK(base.huge_share() == 0);
}

namespace {

hf::Buffer touched(std::size_t bytes, hf::Pages pages) {
  hf::Buffer buffer(bytes, pages);
  std::fill_n(buffer.data(), bytes, std::byte{1});
  return buffer;
}

/// Whether the fewest huge pages that are remembered are none, for a buffer of this size.
bool none_for(std::size_t bytes) {
  const std::optional<hf::HugePages> fewest = hf::fewest_huge_pages();
  return fewest && fewest->share == 0 && fewest->bytes == bytes;
}

bool refuse_huge_pages(bool refused) { return prctl(PR_SET_THP_DISABLE, refused ? 1 : 0, 0, 0, 0) == 0; }

}  // namespace

TEST_CASE("the large buffer with the fewest huge pages is remembered, alive, moved or gone" *
          doctest::skip(hf::probe_machine().emulated)) {  // qemu-user doesn't know this prctl
  constexpr std::size_t bytes = hf::large_buffer_bytes;
  CHECK(in_child([] {
    if (!refuse_huge_pages(true)) return false;
    touched(bytes / 2, hf::Pages::huge);  // not large
    touched(bytes, hf::Pages::base);      // requests none
    return !none_for(bytes / 2) && !none_for(bytes);
  }));
  CHECK(in_child([] {
    if (!refuse_huge_pages(true)) return false;
    hf::Buffer first = touched(bytes, hf::Pages::huge);
    const hf::Buffer moved = std::move(first);
    return none_for(bytes);
  }));
  CHECK(in_child([] {
    if (!refuse_huge_pages(true)) return false;
    touched(bytes, hf::Pages::huge);
    if (!refuse_huge_pages(false)) return false;
    touched(2 * bytes, hf::Pages::huge);  // has some, or as many
    return none_for(bytes);
  }));
}
