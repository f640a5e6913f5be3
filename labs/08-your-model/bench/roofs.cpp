#include "08-your-model/bench/roofs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "08-your-model/kernels/functions.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "kit/random.hpp"
#include "kit/streams/stream_set.hpp"
#include "kit/verify.hpp"

namespace hf::your_model {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::size_t numbers = 2048;  // of a function's row; x and y fit into every L1

struct Function {
  const char* id;
  void (*run)(const float* x, float* y, std::size_t n);
  double (*exact)(double x);
  double (*bound)(double x);  ///< on the relative error
};

double root_of(double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

// GELU without the difference in x / 2 · (1 + tanh z), which would lose digits.
constexpr Function functions[] = {
    {"exp", exponentials, [](double x) { return std::exp(x); }, [](double) { return 0x1p-23; }},
    {"gelu", gelus, [](double x) { return x / (1 + std::exp(-2 * root_of(x))); },
     [](double x) { return (5 + 8 * std::abs(root_of(x))) * 0x1p-24; }}};

/// A row of random numbers between -4 and 4 and its result; each thread has its own.
struct Row {
  explicit Row(int thread) : x(numbers * sizeof(float), Pages::base), y(numbers * sizeof(float), Pages::base) {
    fill_random(x.as<float>(), static_cast<std::uint32_t>(thread) + 1, 4);
  }
  void run(const Function& function) const { function.run(x.as<float>().data(), y.as<float>().data(), numbers); }

  Buffer x, y;
};

void check(const Function& function, const Row& row) {
  row.run(function);
  const auto x = row.x.as<float>(), y = row.y.as<float>();
  double worst = 0;
  for (std::size_t i = 0; i < numbers; ++i) {
    const double exact = function.exact(x[i]);
    worst = std::max(worst, std::abs(y[i] - exact) / (std::abs(exact) * function.bound(x[i])));
  }
  verify(worst, std::string("the loop of ") + function.id);
}

/// Measures arithmetic and functions side by side, since a core's clock changes.
void measure_arithmetic(Roofs& roofs, Team& team, const Plan& plan) {
  std::vector<Row> rows;
  for (int thread = 0; thread < team.size(); ++thread) rows.emplace_back(thread);
  const PeakVariant peak = peak_variant(Precision::fp32, team);
  std::vector<Variant> variants = {peak.variant};
  for (const Function& function : functions) {
    check(function, rows.front());
    variants.push_back(
        timed(function.id, team, [&](int thread) { rows[static_cast<std::size_t>(thread)].run(function); }));
  }
  const Sampling sampling = sample_interleaved(variants, plan);
  roofs.fp32_gflops = peak.gflops(sampling.of(peak.variant.id));
  const double done = as_double(numbers) * team.size();
  roofs.exp_gops = rate(done, sampling.of("exp"));
  roofs.gelu_gops = rate(done, sampling.of("gelu"));
}

/// Memory for each thread, which the thread itself touches first. PyTorch does not ask for huge pages, so the roofs are
/// measured on ordinary ones.
std::vector<Buffer> memory_of(Team& team, std::size_t bytes) {
  std::vector<Buffer> memory;
  for (int thread = 0; thread < team.size(); ++thread) memory.emplace_back(bytes, Pages::base);
  team.run([&](int thread) {
    fill_random(memory[static_cast<std::size_t>(thread)].as<float>(), static_cast<std::uint32_t>(thread));
  });
  return memory;
}

/// Floats of a working set that whole blocks of both loops fill.
std::size_t floats_in(const roofline::StreamSet& set, std::size_t bytes) {
  return bytes / sizeof(float) / (2 * set.block) * (2 * set.block);
}

/// Reads, or copies one half to the other.
std::vector<Variant> streams_over(const roofline::StreamSet& set, const std::vector<Buffer>& memory, std::size_t bytes,
                                  Team& team) {
  const std::size_t n = floats_in(set, bytes);
  const auto of = [&memory](int thread) { return memory[static_cast<std::size_t>(thread)].as<float>().data(); };
  const auto on_all = [&team](const char* id, auto passes) {
    return Variant{
        id, [&team, passes](std::int64_t calls) { return team.run([&](int thread) { passes(thread, calls); }); }};
  };
  return {on_all("read", [=, &set](int thread, std::int64_t calls) { set.read(of(thread), n, calls); }),
          on_all("copy", [=, &set](int thread, std::int64_t calls) {
            set.copy(of(thread), of(thread) + n / 2, n / 2, calls);
          })};
}

void measure_memory(Roofs& roofs, const Machine& machine, Team& team, std::size_t largest, const RoofPlans& plans) {
  const roofline::StreamSet& set = *roofline::stream_sets(machine).back();
  const std::size_t threads = static_cast<std::size_t>(team.size()), most = largest / threads;
  const std::vector<Buffer> memory = memory_of(team, most);
  const std::size_t cached = std::max<std::size_t>(machine.last_level_cache_bytes(), 16 * MiB);
  for (std::size_t each = 16 * KiB; each <= most; each *= 2) {
    const std::size_t bytes = each * 2 > most ? most : each;
    const Sampling sampling = sample_interleaved(streams_over(set, memory, bytes, team),
                                                 bytes * threads <= cached ? plans.arithmetic : plans.memory);
    const double moved = as_double(floats_in(set, bytes) * sizeof(float) * threads);
    roofs.memory.bytes.push_back(bytes * threads);
    roofs.memory.read_gbs.push_back(rate(moved, sampling.of("read")));
    roofs.memory.copy_gbs.push_back(rate(moved, sampling.of("copy")));
  }
}

}  // namespace

Roofs measure_roofs(const Machine& machine, Team& team, std::size_t largest, const RoofPlans& plans) {
  Roofs roofs = {.threads = team.size(), .fp32_gflops = {}, .exp_gops = {}, .gelu_gops = {}, .memory = {}};
  measure_arithmetic(roofs, team, plans.arithmetic);
  measure_memory(roofs, machine, team, largest, plans);
  return roofs;
}

std::size_t beyond_the_caches(const Machine& machine) {
  const std::size_t wanted = std::clamp<std::size_t>(4 * machine.last_level_cache_bytes(), 64 * MiB, 512 * MiB);
  return std::max<std::size_t>(std::min<std::size_t>(wanted, available_memory_bytes() / 4) / MiB, 1) * MiB;
}

std::string roofs_json(const Machine& machine, const std::vector<Roofs>& teams) {
  std::set<std::uint64_t> caches;
  for (const Cache& cache : machine.caches) {
    if (cache.kind != "instruction") caches.insert(cache.bytes);
  }
  nlohmann::json threads;
  for (const Roofs& roofs : teams) {
    const auto ladder = [&](const std::vector<Estimate>& gbs) {
      nlohmann::json points;
      for (std::size_t i = 0; i < gbs.size(); ++i) points.push_back({roofs.memory.bytes[i], gbs[i].median});
      return points;
    };
    threads[std::to_string(roofs.threads)] = {{"fp32_gflops", roofs.fp32_gflops.median},
                                              {"exp_gops", roofs.exp_gops.median},
                                              {"gelu_gops", roofs.gelu_gops.median},
                                              {"read", ladder(roofs.memory.read_gbs)},
                                              {"copy", ladder(roofs.memory.copy_gbs)}};
  }
  return nlohmann::json{{"machine", machine.cpu_name()}, {"caches", caches}, {"threads", threads}}.dump(1) + "\n";
}

}  // namespace hf::your_model
