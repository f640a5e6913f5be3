#include "yours/others.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "harness/machine/cores.hpp"
#include "harness/measure/scratch_folder.hpp"

namespace hf::yours {
namespace {

/// /proc/stat, in which each usable core was busy for 57 ticks, and others for many more.
void write_stat(const std::filesystem::path& root, bool with_last_core) {
  std::filesystem::create_directories(root / "proc");
  std::ofstream file(root / "proc/stat");
  file << "cpu  9 9 9 9 9 9 9 9 9 9\n";
  for (const int core : usable_cores()) {
    if (with_last_core || core != usable_cores().back()) file << "cpu" << core << " 11 2 20 1000 500 1 3 20 11 0\n";
  }
  file << "cpu9999 800 0 0 0 0 0 0 0 0 0\nintr 7 0 0 0 0 0 0 0 0 0 0\n";
}

TEST_CASE("the time of the usable cores is read, without that in which they were idle") {
  const ScratchFolder root;
  write_stat(root.path(), true);
  const ProcessorTime time = read_processor_time(root.path());
  const auto cores = static_cast<double>(usable_cores().size());
  CHECK(time.all.value() == doctest::Approx(57 * cores / static_cast<double>(sysconf(_SC_CLK_TCK))));
  write_stat(root.path(), false);
  CHECK_FALSE(read_processor_time(root.path()).all.has_value());
  CHECK_FALSE(read_processor_time(root.path() / "nowhere").all.has_value());
}

TEST_CASE("what this process took is not others'") {
  const auto cores = static_cast<double>(usable_cores().size());
  const ProcessorTime earlier = {1000, 50, 7};
  const auto later = [&](double all, double own) {
    return ProcessorTime{2000001000, 50 + all * cores, 7 + own * cores};
  };
  CHECK(taken_by_others(earlier, later(1, 0.5)) == doctest::Approx(0.25));
  CHECK(taken_by_others(earlier, later(1, 1)) == doctest::Approx(0));
  CHECK(taken_by_others(earlier, later(0.9, 1)) == 0);  // ticks are coarse
  CHECK(taken_by_others(earlier, {2000001000, std::nullopt, 0}) == 0);
  CHECK(taken_by_others(earlier, earlier) == 0);
}

TEST_CASE("this process's own time is read") {
  const ProcessorTime before = read_processor_time();
  while (read_processor_time().own < before.own + 0.02) {
  }
  CHECK(read_processor_time().when_ns > before.when_ns);
}

}  // namespace
}  // namespace hf::yours
