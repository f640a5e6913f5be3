// Compares the instrument with other people's tools, here and now: Google Benchmark times the same code, likwid-bench
// runs its own loops over the same working sets, on the same kind of pages, counting the same bytes, and STREAM, if it
// was built, its own arrays. Ours and theirs take short turns, because a shared machine changes from second to second.
// Prints the median of the turns' ratios, and the ratio of the best turns: ours are medians and theirs are means, which
// other programs make worse.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lock.hpp"
#include "harness/report/terminal.hpp"
#include "kit/streams/stream_runs.hpp"

namespace {

namespace roofline = hf::roofline;

/// One number measured by two instruments.
struct Comparison {
  std::string what, unit, other;
  std::function<double()> ours, theirs;
};

constexpr double turn_seconds = 0.25;

hf::Plan plan() { return {.budget_seconds = turn_seconds}; }

/// Runs a command and passes each line of its standard output to \p read.
void for_each_line(const std::string& command, const std::function<void(const std::string&)>& read) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>/dev/null").c_str(), "r"), pclose);
  std::array<char, 512> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) read(line.data());
}

/// One of likwid-bench's kernels over a working set. Its memory comes from malloc, which uses the same huge pages as
/// ours when told to.
class LikwidBench {
 public:
  LikwidBench(std::string kernel, std::size_t bytes, int threads, std::string field)
      : kernel_(std::move(kernel)), bytes_(bytes), threads_(threads), field_(std::move(field)) {}

  /// The number printed after the field ("MByte/s:", "MFlops/s:"), in units of 10^9. The first time, it finds out how
  /// many repetitions take a second; from then on a turn is as short as one of ours.
  double rate() {
    if (repeats_ == 0) run("-s 1");
    return run("-i " + std::to_string(std::max(10L, static_cast<long>(repeats_ / seconds_ * turn_seconds))));
  }

  double seconds_of_pass() { return static_cast<double>(bytes_) / rate() * 1e-9; }

 private:
  double run(const std::string& length) {
    double rate = 0;
    const auto field = [](const std::string& line, const std::string& name, double& value) {
      if (line.starts_with(name)) value = std::strtod(line.c_str() + name.size(), nullptr);
    };
    for_each_line("GLIBC_TUNABLES=glibc.malloc.hugetlb=1 likwid-bench -t " + kernel_ + " " + length +
                      " -w N:" + std::to_string(bytes_ / 1000) + "kB:" + std::to_string(threads_),
                  [&](const std::string& line) {
                    field(line, field_, rate);
                    field(line, "Time:", seconds_);
                    field(line, "Iterations per thread:", repeats_);
                  });
    if (rate <= 0)
      throw std::runtime_error("likwid-bench -t " + kernel_ + " gave no " + field_ + " run it by hand to see why");
    return rate * 1e-3;
  }

  std::string kernel_;
  std::size_t bytes_;
  int threads_;
  std::string field_;
  double repeats_ = 0, seconds_ = 0;
};

/// STREAM's own rate, GB/s: its arrays over the mean time of its repetitions. \param row  "Copy:", "Triad:"
double stream_rate(const std::string& program, const std::string& row, int threads) {
  double rate = 0;
  for_each_line("OMP_PROC_BIND=true OMP_NUM_THREADS=" + std::to_string(threads) + " " + program,
                [&](const std::string& line) {
                  double best = 0, mean = 0, shortest = 0;
                  if (line.starts_with(row) &&
                      std::sscanf(line.c_str() + row.size(), "%lf %lf %lf", &best, &mean, &shortest) == 3) {
                    rate = best * shortest / mean * 1e-3;
                  }
                });
  if (rate <= 0) throw std::runtime_error(program + " printed no row " + row + " expected a STREAM benchmark");
  return rate;
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

/// Google Benchmark's median for one call, over the same number of 1 ms samples as ours. An iteration is many calls,
/// because the variant reads the clock itself.
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

/// The suffix of likwid-bench's kernels for an instruction set; empty if it has none of the same width.
std::string likwid_suffix(const std::string& kernel_set) {
  if (kernel_set == "AVX-512") return "_avx512";
  if (kernel_set == "AVX2" || kernel_set == "AVX") return "_avx";
  return kernel_set == "SSE" ? "_sse" : "";
}

class Calibration {
 public:
  explicit Calibration(std::string stream_program)
      : stream_program_(std::move(stream_program)),
        sets_(roofline::kernel_sets(machine_)),
        set_(*sets_.back()),
        memory_(all_, dram_) {}

  std::vector<Comparison> comparisons() {
    std::vector<Comparison> list;
    for (const auto& [level, bytes] : {std::pair("L1", l1_), std::pair("L2", l2_)}) {
      list.push_back({std::string("read from ") + level + ", time of a pass", "ns", "Google Benchmark",
                      [this, bytes = bytes] { return hf::sample(read(bytes), plan()).median * 1e9; },
                      [this, bytes = bytes] { return google_benchmark_seconds(read(bytes)) * 1e9; }});
    }
    if (!stream_program_.empty()) add_stream_benchmark(list);
    const std::string suffix = likwid_suffix(set_.name);
    if (suffix.empty()) {
      std::printf("likwid-bench has no kernels for %s that could be compared\n", set_.name);
      return list;
    }
    add_peaks(list, suffix + (std::string(set_.name) == "AVX" || suffix == "_sse" ? "" : "_fma"));
    add_marginal_read(list, "load" + suffix);
    add_stream(list, roofline::Stream::read, "load" + suffix, l2_, 1);
    for (const int threads : {1, all_.size()}) {
      add_stream(list, roofline::Stream::read, "load" + suffix, dram_, threads);
      add_stream(list, roofline::Stream::copy, "copy" + suffix, dram_, threads);
      add_stream(list, roofline::Stream::triad, "stream" + suffix, dram_, threads);
      add_stream(list, roofline::Stream::copy_nontemporal, "copy_mem" + suffix, dram_, threads);
      add_stream(list, roofline::Stream::triad_nontemporal, "stream_mem" + suffix, dram_, threads);
      if (all_.size() == 1) break;
    }
    return list;
  }

 private:
  /// In whole kB, as likwid-bench needs. \param otherwise  the size if the machine does not report one
  std::size_t part_of_cache(int level, double part, std::size_t otherwise) const {
    const auto bytes = static_cast<double>(machine_.cache_bytes(level));
    return bytes > 0 ? static_cast<std::size_t>(part * bytes / 1000) * 1000 : otherwise;
  }

  hf::Variant read(std::size_t bytes) const {
    return roofline::one_thread(set_.streams, roofline::Stream::read, memory_, bytes);
  }

  void add_peaks(std::vector<Comparison>& list, const std::string& suffix) {
    for (const bool fp64 : {false, true}) {
      const std::string kernel = (fp64 ? "peakflops" : "peakflops_sp") + suffix;
      const std::string name = fp64 ? "fp64 peak, " : "fp32 peak, ";
      const auto likwid = std::make_shared<LikwidBench>(kernel, l1_, 1, "MFlops/s:");
      list.push_back({name + "lab 01's loop", "GFLOP/s", kernel,
                      [=, this] { return roofline::measure_peaks(sets_, fp64, one_, plan()).peak().median; },
                      [=] { return likwid->rate(); }});
      list.push_back({name + "harness", "GFLOP/s", kernel,
                      [=, this] {
                        const auto precision = fp64 ? hf::Precision::fp64 : hf::Precision::fp32;
                        return hf::peak_gflops(precision, one_, plan()).median;
                      },
                      [=] { return likwid->rate(); }});
    }
  }

  /// In L1 a pass takes tens of nanoseconds, so its start counts; likwid-bench starts its passes more slowly than we
  /// do. So each instrument reads two working sets, and the difference in bytes is divided by the difference in time.
  void add_marginal_read(std::vector<Comparison>& list, const std::string& kernel) {
    const std::size_t small = l1_ / 4, large = l1_ / 4 * 3;
    const auto bytes = static_cast<double>(large - small);
    const auto likwid_small = std::make_shared<LikwidBench>(kernel, small, 1, "MByte/s:");
    const auto likwid_large = std::make_shared<LikwidBench>(kernel, large, 1, "MByte/s:");
    list.push_back(
        {"read, L1, 1 thread, without the start of a pass", "GB/s", kernel,
         [=, this] {
           const hf::Sampling both = hf::sample_interleaved({read(small), read(large)}, plan());
           return bytes / (both.seconds[1].median - both.seconds[0].median) * 1e-9;
         },
         [=] { return bytes / (likwid_large->seconds_of_pass() - likwid_small->seconds_of_pass()) * 1e-9; }});
  }

  /// \param bytes  size of all arrays of all threads together
  double our_rate(roofline::Stream stream, std::size_t bytes, int threads) {
    const std::size_t each = bytes / static_cast<std::size_t>(threads);
    const hf::Variant variant = threads == 1 ? roofline::one_thread(set_.streams, stream, memory_, each)
                                             : roofline::all_threads(set_.streams, stream, memory_, each, all_);
    return roofline::pass_bytes(set_.streams, stream, each) * threads / hf::sample(variant, plan()).median * 1e-9;
  }

  std::string stream_name(roofline::Stream stream, std::size_t bytes, int threads) const {
    return roofline::label(stream) + (bytes == dram_ ? ", DRAM, " : ", L2, ") + std::to_string(threads) +
           (threads > 1 ? " threads" : " thread");
  }

  void add_stream(std::vector<Comparison>& list, roofline::Stream stream, const std::string& kernel, std::size_t bytes,
                  int threads) {
    const auto likwid = std::make_shared<LikwidBench>(kernel, bytes, threads, "MByte/s:");
    list.push_back({stream_name(stream, bytes, threads), "GB/s", kernel,
                    [=, this] { return our_rate(stream, bytes, threads); }, [=] { return likwid->rate(); }});
  }

  void add_stream_benchmark(std::vector<Comparison>& list) {
    for (const int threads : {1, all_.size()}) {
      for (const auto& [stream, row] :
           {std::pair(roofline::Stream::copy, "Copy:"), std::pair(roofline::Stream::triad, "Triad:")}) {
        list.push_back({stream_name(stream, dram_, threads), "GB/s", std::string("STREAM ") + row,
                        [=, this, stream = stream] { return our_rate(stream, dram_, threads); },
                        [=, this, row = row] { return stream_rate(stream_program_, row, threads); }});
      }
      if (all_.size() == 1) break;
    }
  }

  // Well below each cache's size.
  const std::string stream_program_;
  const hf::Machine machine_ = hf::probe_machine();
  const std::size_t l1_ = part_of_cache(1, 0.6, 24'000), l2_ = part_of_cache(2, 0.5, 128'000);
  const std::size_t dram_ = hf::default_dram_bytes() / 1000 * 1000;
  hf::Team one_{1}, all_;
  std::vector<const roofline::KernelSet*> sets_;
  const roofline::KernelSet& set_;
  roofline::StreamMemory memory_;
};

/// The least disturbed turn: the shortest time, the highest rate.
double best(const std::vector<double>& turns, const std::string& unit) {
  const auto [lowest, highest] = std::minmax_element(turns.begin(), turns.end());
  return unit == "ns" ? *lowest : *highest;
}

/// \return a row of the table: what, other, unit, both medians, the median of ours / theirs, its spread, and the ratio
/// of the best turns
std::vector<std::string> compare(const Comparison& comparison, int rounds, std::mt19937& random) {
  std::vector<double> ours, theirs;
  const auto measure_ours = [&] {
    const hf::Pinned pinned;  // not longer, or started programs would inherit it
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
          hf::number_text(ratio.low) + " - " + hf::number_text(ratio.high),
          hf::number_text(best(ours, comparison.unit) / best(theirs, comparison.unit))};
}

void calibrate(int rounds, const std::string& stream_program) {
  const hf::MeasuringLock lock;
  Calibration calibration(stream_program);
  std::mt19937 random(std::random_device{}());
  hf::Terminal terminal;
  hf::Table table{"Ours against theirs, " + std::to_string(rounds) + " turns each",
                  {"what", "other", "unit", "ours", "theirs", "ratio", "5% to 95%", "best turns"},
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
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    if (rounds < 1) throw std::runtime_error("expected a number of turns, 1 or more");
    calibrate(rounds, argc > 2 ? argv[2] : "");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "calibrate: %s\n", error.what());
    return 1;
  }
}
