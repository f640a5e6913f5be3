#include <doctest/doctest.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
