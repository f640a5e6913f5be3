// Holds the instrument against tools that others wrote, on this machine, now: Google Benchmark times the same code, and
// likwid-bench runs loops of its own over the same working sets, on the same kind of pages, counting the same bytes.
// Ours and theirs take turns, in random order; what is printed is the median of the ratios of the turns.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/dispatch.hpp"
#include "01-roofline/peak_table.hpp"
#include "01-roofline/stream_runs.hpp"
#include "harness/lock.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/terminal.hpp"

namespace {

/// One number that two instruments give.
struct Comparison {
  std::string what, unit, other;
  std::function<double()> ours, theirs;
};

hf::Plan plan() {
  hf::Plan plan;
  plan.budget_seconds = 1;
  return plan;
}

/// What likwid-bench prints after "MByte/s:" or "MFlops/s:", in units of 10^9. Its memory comes from malloc, which
/// gives it the same huge pages as ours when told to.
double likwid(const std::string& kernel, std::size_t bytes, int threads, const std::string& field) {
  const std::string command = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 likwid-bench -t " + kernel +
                              " -s 1 -w N:" + std::to_string(bytes / 1000) + "kB:" + std::to_string(threads) +
                              " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 512> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    const std::string text = line.data();
    if (text.starts_with(field)) return std::strtod(text.c_str() + field.size(), nullptr) * 1e-3;
  }
  throw std::runtime_error("likwid-bench -t " + kernel + " gave no " + field + " run it by hand to see why");
}

/// Keeps the times of the repetitions, and prints nothing.
class SecondsReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      seconds.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
    }
  }
  std::vector<double> seconds;
};

/// Google Benchmark's median for one call, over as many samples of a millisecond as ours. An iteration is many calls,
/// since the variant reads the clock itself.
double google_benchmark_seconds(const hf::Variant& variant) {
  constexpr std::int64_t calls = 1000;
  const hf::Pinned pinned;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(variant.id.c_str(),
                               [&](benchmark::State& state) {
                                 for (auto _ : state) variant.seconds(calls);
                               })
      ->UseRealTime()
      ->MinTime(1e-3)
      ->Repetitions(31);
  SecondsReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return hf::estimate(reporter.seconds).median / calls;
}

/// The suffix of likwid-bench's kernels for an instruction set; empty where it has none of the same width.
std::string likwid_suffix(const std::string& kernel_set) {
  if (kernel_set == "AVX-512") return "_avx512";
  if (kernel_set == "AVX2" || kernel_set == "AVX") return "_avx";
  return kernel_set == "SSE" ? "_sse" : "";
}

class Calibration {
 public:
  Calibration() : sets_(hf::kernel_sets(machine_)), set_(*sets_.back()), memory_(all_, dram_) {}

  std::vector<Comparison> comparisons() {
    std::vector<Comparison> list;
    for (const auto& [level, bytes] : {std::pair("L1", l1_), std::pair("L2", l2_)}) {
      list.push_back({std::string("read from ") + level + ", time of a pass", "ns", "Google Benchmark",
                      [this, bytes = bytes] { return hf::sample(read(bytes), plan()).median * 1e9; },
                      [this, bytes = bytes] { return google_benchmark_seconds(read(bytes)) * 1e9; }});
    }
    const std::string suffix = likwid_suffix(set_.name);
    if (suffix.empty()) {
      std::printf("likwid-bench has no kernels for %s that could be compared\n", set_.name);
      return list;
    }
    add_peaks(list, suffix + (std::string(set_.name) == "AVX" || suffix == "_sse" ? "" : "_fma"));
    add_stream(list, hf::Stream::read, "load" + suffix, l1_, 1);
    add_stream(list, hf::Stream::read, "load" + suffix, l2_, 1);
    for (const int threads : {1, all_.size()}) {
      add_stream(list, hf::Stream::read, "load" + suffix, dram_, threads);
      add_stream(list, hf::Stream::copy, "copy" + suffix, dram_, threads);
      add_stream(list, hf::Stream::triad, "stream" + suffix, dram_, threads);
      add_stream(list, hf::Stream::copy_nontemporal, "copy_mem" + suffix, dram_, threads);
      add_stream(list, hf::Stream::triad_nontemporal, "stream_mem" + suffix, dram_, threads);
      if (all_.size() == 1) break;
    }
    return list;
  }

 private:
  /// In whole kB, as likwid-bench takes it. @param otherwise  where the machine does not tell
  std::size_t part_of_cache(int level, double part, std::size_t otherwise) const {
    const auto bytes = static_cast<double>(machine_.cache_bytes(level));
    return bytes > 0 ? static_cast<std::size_t>(part * bytes / 1000) * 1000 : otherwise;
  }

  hf::Variant read(std::size_t bytes) const { return hf::one_thread(set_, hf::Stream::read, memory_, bytes); }

  void add_peaks(std::vector<Comparison>& list, const std::string& suffix) {
    for (const bool fp64 : {false, true}) {
      const std::string kernel = (fp64 ? "peakflops" : "peakflops_sp") + suffix;
      list.push_back({fp64 ? "fp64 peak, lab 01's loop" : "fp32 peak, lab 01's loop", "GFLOP/s", kernel,
                      [=, this] { return hf::measure_peaks(sets_, fp64, one_, plan()).peak().median; },
                      [=, this] { return likwid(kernel, l1_, 1, "MFlops/s:"); }});
      list.push_back({fp64 ? "fp64 peak, harness" : "fp32 peak, harness", "GFLOP/s", kernel,
                      [=, this] {
                        const auto precision = fp64 ? hf::Precision::fp64 : hf::Precision::fp32;
                        return hf::peak_gflops(precision, one_, plan()).median;
                      },
                      [=, this] { return likwid(kernel, l1_, 1, "MFlops/s:"); }});
    }
  }

  /// @param bytes  all arrays of all threads together
  void add_stream(std::vector<Comparison>& list, hf::Stream stream, const std::string& kernel, std::size_t bytes,
                  int threads) {
    const std::size_t each = bytes / static_cast<std::size_t>(threads);
    const auto ours = [=, this] {
      const hf::Variant variant = threads == 1 ? hf::one_thread(set_, stream, memory_, each)
                                               : hf::all_threads(set_, stream, memory_, each, all_);
      return hf::pass_bytes(set_, stream, each) * threads / hf::sample(variant, plan()).median * 1e-9;
    };
    const std::string level = bytes == l1_ ? "L1" : bytes == l2_ ? "L2" : "DRAM";
    const std::string count = std::to_string(threads) + (threads > 1 ? " threads" : " thread");
    list.push_back({hf::label(stream) + ", " + level + ", " + count, "GB/s", kernel, ours,
                    [=] { return likwid(kernel, bytes, threads, "MByte/s:"); }});
  }

  // Well inside each cache; and in L1 as long a pass as can be, since others pay for the start of each pass.
  const hf::Machine machine_ = hf::probe_machine();
  const std::size_t l1_ = part_of_cache(1, 0.75, 24'000), l2_ = part_of_cache(2, 0.5, 128'000);
  const std::size_t dram_ = hf::default_dram_bytes() / 1000 * 1000;
  hf::Team one_{1}, all_;
  std::vector<const hf::KernelSet*> sets_;
  const hf::KernelSet& set_;
  hf::StreamMemory memory_;
};

/// @return a row of the table: what, other, unit, both medians, the median ratio ours / theirs, and its spread
std::vector<std::string> compare(const Comparison& comparison, int rounds, std::mt19937& random) {
  std::vector<double> ours, theirs;
  const auto measure_ours = [&] {
    const hf::Pinned pinned;  // not for longer: programs that are started would inherit it
    ours.push_back(comparison.ours());
  };
  for (int round = 0; round < rounds; ++round) {
    const bool first = random() % 2 == 0;
    if (first) measure_ours();
    theirs.push_back(comparison.theirs());
    if (!first) measure_ours();
  }
  const hf::Estimate ratio = hf::ratio(ours, theirs);
  return {comparison.what,
          comparison.other,
          comparison.unit,
          hf::number_text(hf::estimate(ours).median),
          hf::number_text(hf::estimate(theirs).median),
          hf::number_text(ratio.median),
          hf::number_text(ratio.low) + " - " + hf::number_text(ratio.high)};
}

void calibrate(int rounds) {
  const hf::MeasuringLock lock;
  std::printf("STREAM has no Debian package: likwid-bench's stream kernels, the same triad, stand in for it.\n");
  Calibration calibration;
  std::mt19937 random(std::random_device{}());
  hf::Terminal terminal;
  hf::Table table{"Ours against theirs, " + std::to_string(rounds) + " turns each",
                  {"what", "other", "unit", "ours", "theirs", "ratio", "5 % - 95 %"},
                  {}};
  for (const Comparison& comparison : calibration.comparisons()) {
    table.rows.push_back(compare(comparison, rounds, random));
    std::fprintf(stderr, "%s against %s: %s\n", comparison.what.c_str(), comparison.other.c_str(),
                 table.rows.back()[5].c_str());
  }
  terminal.table(table);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    if (rounds < 1) throw std::runtime_error("expected a number of turns, 1 or more");
    calibrate(rounds);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "calibrate: %s\n", error.what());
    return 1;
  }
}
