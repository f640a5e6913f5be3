#include "03-gpu/cuda/execution_runs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "03-gpu/cuda/access.cuh"
#include "03-gpu/cuda/divergence.cuh"
#include "03-gpu/cuda/intensity.cuh"
#include "03-gpu/cuda/launches.cuh"
#include "common/cuda/power.cuh"
#include "common/cuda/timing.cuh"

namespace hf::gpu {
namespace {

// ---- What if threads go different ways? ----

constexpr int path_steps = 512, timed_path_steps = 16 * path_steps;  // gaps between launches must not count

void check_paths(const cuda::DeviceArray<std::uint32_t>& results, int paths, bool inside_warp) {
  const std::vector<std::uint32_t> found = results.to_host();
  bool right = true;
  for (int thread = 0; thread < static_cast<int>(found.size()); ++thread) {
    auto x = static_cast<std::uint32_t>(thread);
    for (int step = 0; step < path_steps; ++step) x = path_step(path_of(thread, paths, inside_warp), x);
    right &= found[static_cast<std::size_t>(thread)] == x;
  }
  cuda::expect(right, "diverge");
}

void measure_divergence(Lab& lab, const cuda::Device& device) {
  const auto blocks = static_cast<unsigned>(device.multiprocessors);
  constexpr unsigned threads = 1024;
  cuda::DeviceArray<std::uint32_t> results(blocks * threads);
  const auto id = [](int paths, bool inside_warp) { return std::to_string(paths) + (inside_warp ? " inside" : ""); };
  const std::vector<int> counts = {1, 2, 4, 8, 16, 32};
  std::vector<Variant> variants;
  for (const int paths : counts) {
    for (const bool inside_warp : {true, false}) {
      const auto run = [&, paths, inside_warp](int steps) {
        diverge<<<blocks, threads>>>(paths, inside_warp, steps, results.data());
      };
      results.poison();
      run(path_steps);
      cuda::finish("diverge");
      check_paths(results, paths, inside_warp);
      variants.push_back(cuda::timed_on_device(id(paths, inside_warp), [run] { run(timed_path_steps); }));
      lab.tick();
    }
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan());
  const Axis ways = {"ways that threads go", "1"}, cost = {"time over that of one way", "1"};
  Series inside = {"gpu_divergence", "neighbours differ", Kind::measured, ways, cost};
  Series between = {"gpu_divergence_between", "whole warps differ", Kind::measured, ways, cost};
  for (const int paths : counts) {
    inside.points.emplace_back(paths, sampling.ratio(id(paths, true), id(1, true)));
    between.points.emplace_back(paths, sampling.ratio(id(paths, false), id(1, false)));
  }
  lab.add(std::move(inside));
  lab.add(std::move(between));
  lab.add(Value("divergence_gpu_gain", sampling.ratio(id(2, true), id(2, false)), "1",
                "two ways inside every warp over two ways between warps"));
}

// ---- What does a launch cost? ----

void check_ticks(unsigned launched, cuda::DeviceArray<unsigned>& counter, cuda::Stream& stream, const char* how) {
  stream.wait();
  cuda::expect(counter.to_host().front() == launched, how);
}

void measure_launches(Lab& lab) {
  constexpr int launches = 500;  // fewer than the driver queues
  cuda::Stream stream;
  cuda::DeviceArray<unsigned> counter(std::vector<unsigned>{0});
  launch_ticks(stream, launches, counter.data());
  check_ticks(launches, counter, stream, "a launch");
  TickGraph counted(stream, launches, counter.data());
  counted.launch(stream);
  check_ticks(2 * launches, counter, stream, "a graph");

  TickGraph graph(stream, launches, nullptr);
  const Sampling sampling = sample_interleaved({timed("stream",
                                                      [&] {
                                                        launch_ticks(stream, launches, nullptr);
                                                        stream.wait();
                                                      }),
                                                timed("graph",
                                                      [&] {
                                                        graph.launch(stream);
                                                        stream.wait();
                                                      })},
                                               lab.plan());
  const auto each = [&](const char* id) {
    return transform(sampling.of(id), [](double seconds) { return seconds / launches * 1e6; });
  };
  lab.add(Value("launch_stream_us", each("stream"), "us", "an empty kernel, launched alone"));
  lab.add(Value("launch_graph_us", each("graph"), "us", "an empty kernel in a graph"));
  lab.add(Value("gpu_graph_gain", sampling.ratio("stream", "graph"), "1", "launched alone over in a graph"));
}

// ---- What does it draw? ----

/// The kernel of intensity.cuh for each number of FMAs, chosen when the program runs.
struct Intensity {
  int fmas;
  void (*kernel)(const float4*, std::size_t, float*);
};
constexpr Intensity intensities[] = {{1, multiply_add<1>},   {2, multiply_add<2>},     {4, multiply_add<4>},
                                     {8, multiply_add<8>},   {16, multiply_add<16>},   {32, multiply_add<32>},
                                     {64, multiply_add<64>}, {128, multiply_add<128>}, {256, multiply_add<256>}};

struct IntensityArrays {
  explicit IntensityArrays(const cuda::Device& device)
      : numbers(std::bit_floor(std::min(std::size_t{1} << 30, device.memory_bytes / 8)) / sizeof(float4)),
        sums(static_cast<std::size_t>(device.multiprocessors) * 8 * stream_threads) {
    fill_units<<<1024, 256>>>(reinterpret_cast<float*>(numbers.data()), 4 * numbers.size(), 0);
    cuda::finish("fill_units");
  }
  void run(const Intensity& at) {
    at.kernel<<<static_cast<unsigned>(sums.size() / stream_threads), stream_threads>>>(
        numbers.data(), numbers.size() / stream_tile, sums.data());
  }
  double flops(const Intensity& at) const { return 2.0 * at.fmas * 4 * static_cast<double>(numbers.size()); }

  cuda::DeviceArray<float4> numbers;  ///< 1 GiB, many times L2; whole tiles
  cuda::DeviceArray<float> sums;
};

/// What one thread should get: its numbers, each after so many FMAs, in double precision.
double intensity_reference(const IntensityArrays& on, std::size_t thread, int fmas, std::size_t& terms) {
  const std::size_t blocks = on.sums.size() / stream_threads, tiles = on.numbers.size() / stream_tile;
  double sum = 0;
  for (std::size_t tile = thread / stream_threads; tile < tiles; tile += blocks) {
    for (std::size_t load = 0; load < stream_loads; ++load) {
      const std::size_t first = 4 * (tile * stream_tile + load * stream_threads + thread % stream_threads);
      for (std::size_t i = first; i < first + 4; ++i, ++terms) {
        double x = random_number(0, i);
        for (int fma = 0; fma < fmas; ++fma) x = double{intensity_factor} * x + double{intensity_addend};
        sum += x;
      }
    }
  }
  return sum;
}

void check_intensity(IntensityArrays& on, const Intensity& at) {
  on.sums.poison();
  on.run(at);
  cuda::finish("multiply_add");
  const std::vector<float> sums = on.sums.to_host();
  bool right = true;
  for (std::size_t thread = 0; thread < sums.size(); thread += 997) {
    std::size_t terms = 0;
    const double exact = intensity_reference(on, thread, at.fmas, terms);
    // No number exceeds 1.5; one rounding for each FMA and each addition.
    const double bound = (at.fmas + static_cast<double>(terms)) * 0x1p-24 * 1.5 * static_cast<double>(terms);
    right &= std::abs(sums[thread] - exact) <= bound;
  }
  cuda::expect(right, "multiply_add");
}

void measure_speed_by_intensity(Lab& lab, IntensityArrays& arrays, std::map<int, double>& call_seconds) {
  std::vector<Variant> variants;
  for (const Intensity& each : intensities) {
    check_intensity(arrays, each);
    variants.push_back(cuda::timed_on_device(std::to_string(each.fmas), [&] { arrays.run(each); }));
    lab.tick();
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan(4));
  Series speed = {"gpu_power_speed", "fp32", Kind::measured, {"intensity", "FLOP/byte"}, {"speed", "GFLOP/s"}};
  for (const Intensity& each : intensities) {
    const Estimate& seconds = sampling.of(std::to_string(each.fmas));
    call_seconds[each.fmas] = seconds.median;
    const double flops = arrays.flops(each);
    speed.points.emplace_back(intensity_of(each.fmas), transform(seconds, [=](double s) { return flops / s * 1e-9; }));
  }
  lab.add(std::move(speed));
}

void measure_power(Lab& lab, const cuda::Device& device) {
  IntensityArrays arrays(device);
  std::map<int, double> call_seconds;
  measure_speed_by_intensity(lab, arrays, call_seconds);
  const cuda::PowerMeter meter(device.bus_id);
  if (!meter.missing().empty()) return lab.note("no power was measured: " + meter.missing());

  std::map<int, std::vector<double>> samples;
  for (int round = 0; round < (lab.quick() ? 1 : 3); ++round) {
    for (const Intensity& each : intensities) {
      const cuda::Draw draw = cuda::average_draw(
          meter, [&] { arrays.run(each); }, call_seconds[each.fmas], lab.quick() ? 0.2 : 0.5);
      if (draw.watts > 0) samples[each.fmas].push_back(draw.watts);
      lab.tick();
    }
  }
  Series power = {"gpu_power", "board", Kind::measured, {"intensity", "FLOP/byte"}, {"power", "W"}};
  for (const auto& [fmas, watts] : samples) power.points.emplace_back(intensity_of(fmas), estimate(watts));
  if (power.points.empty()) return lab.note("no power was measured: this GPU's energy counter stands still");
  lab.add(std::move(power));
  if (const cuda::Draw idle = cuda::idle_draw(meter, lab.quick() ? 0.5 : 2); idle.watts > 0)
    lab.add(Value("gpu_idle_w", idle.watts, "W", Kind::measured, "the board, doing nothing"));
  if (const auto limit = meter.limit_watts()) {
    lab.add(Value("gpu_power_limit_w", *limit, "W", Kind::measured, "power limit of the board"));
  }
}

}  // namespace

std::vector<Step> execution_steps() { return {{"GPU divergence", 1, 3}, {"GPU launches", 1, 3}, {"GPU power", 6, 35}}; }

void measure_execution(Lab& lab, const cuda::Device& device) {
  lab.step("GPU divergence", [&] { measure_divergence(lab, device); });
  lab.step("GPU launches", [&] { measure_launches(lab); });
  lab.step("GPU power", [&] { measure_power(lab, device); });
}

}  // namespace hf::gpu
