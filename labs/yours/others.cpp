#include "yours/others.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "harness/machine/cores.hpp"
#include "harness/measure/clock.hpp"

namespace hf::yours {
namespace {

/// /proc/stat has a line for each core: "cpu3 user nice system idle iowait irq softirq steal …", in ticks of the clock.
std::optional<double> busy_seconds(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t busy = 0;
  std::size_t cores = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
    if (!(words >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) continue;
    const auto is_this = [&](int core) { return name == "cpu" + std::to_string(core); };
    if (!std::ranges::any_of(usable_cores(), is_this)) continue;
    busy += user + nice + system + irq + softirq + steal;
    ++cores;
  }
  if (cores < usable_cores().size()) return std::nullopt;
  return static_cast<double>(busy) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

ProcessorTime read_processor_time(const std::filesystem::path& root) {
  rusage own = {};
  getrusage(RUSAGE_SELF, &own);
  return {now_ns(), busy_seconds(root / "proc/stat"), seconds_of(own.ru_utime) + seconds_of(own.ru_stime)};
}

double taken_by_others(const ProcessorTime& earlier, const ProcessorTime& later) {
  if (!earlier.all || !later.all || later.when_ns <= earlier.when_ns) return 0;
  const double all =
      static_cast<double>(usable_cores().size()) * static_cast<double>(later.when_ns - earlier.when_ns) * 1e-9;
  return std::clamp((*later.all - *earlier.all - (later.own - earlier.own)) / all, 0.0, 1.0);
}

}  // namespace hf::yours
