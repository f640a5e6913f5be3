#include "03-gpu/bench/cuda/device_steps.hpp"

#include "03-gpu/kernels/cuda/divergence.cuh"
#include "03-gpu/kernels/cuda/launches.cuh"
#include "common/cuda/timing.cuh"

namespace hf::gpu {
namespace {

// ---- What if threads go different ways? ----

constexpr int path_steps = 512, timed_path_steps = 16 * path_steps;  // gaps between launches must not count

constexpr int paths = 2;

void check_paths(const cuda::DeviceArray<std::uint32_t>& results, bool inside_warp) {
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
  std::vector<Variant> variants;
  for (const bool inside_warp : {true, false}) {
    const auto run = [&, inside_warp](int steps) {
      diverge<<<blocks, threads>>>(paths, inside_warp, steps, results.data());
    };
    results.poison();
    run(path_steps);
    cuda::finish("diverge");
    check_paths(results, inside_warp);
    variants.push_back(cuda::timed_on_device(inside_warp ? "inside" : "between", [run] { run(timed_path_steps); }));
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan());
  lab.add(Value("divergence_gpu_gain", sampling.ratio("inside", "between"), "1",
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

}  // namespace

std::vector<Step> execution_steps(const cuda::Device& device) {
  return {{"GPU divergence", [=](Lab& lab) { measure_divergence(lab, device); }, 0.5, 1},
          {"GPU launches", measure_launches, 1, 3}};
}

}  // namespace hf::gpu
