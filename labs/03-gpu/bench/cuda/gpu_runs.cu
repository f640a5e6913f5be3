#include "03-gpu/bench/cuda/gpu_runs.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "03-gpu/bench/cuda/conditions.hpp"
#include "03-gpu/bench/cuda/device_steps.hpp"
#include "03-gpu/bench/cuda/token_runs.hpp"
#include "03-gpu/kernels/cuda/divergence.cuh"
#include "03-gpu/kernels/cuda/generation.hpp"
#include "03-gpu/kernels/cuda/launches.cuh"
#include "03-gpu/kernels/cuda/tensor_operands.hpp"
#include "03-gpu/kernels/cuda/tensor_peak.cuh"
#include "harness/measure/shown_as.hpp"
#include "kit/cuda/device.cuh"
#include "kit/cuda/graph.cuh"
#include "kit/cuda/pci_bus_id.cuh"
#include "kit/cuda/state_log.hpp"
#include "kit/cuda/timing.cuh"

namespace hf::gpu {
namespace {

/// Launched only to find out whether this device can run the compiled code.
__global__ void probe() {}

// ---- What if threads take different branches? ----

constexpr int path_steps = 512, timed_path_steps = 16 * path_steps;  // so that gaps between launches do not matter

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
                shown_as("branch inside every warp ÷ branch between warps")));
}

// ---- What does a launch cost? ----

void check_ticks(unsigned launched, cuda::DeviceArray<unsigned>& counter, cuda::Stream& stream, const char* how) {
  stream.wait();
  cuda::expect(counter.to_host().front() == launched, how);
}

void measure_launches(Lab& lab) {
  constexpr int launches = 500;  // fewer than the driver can queue
  cuda::Stream stream;
  cuda::DeviceArray<unsigned> counter(std::vector<unsigned>{0});
  launch_ticks(stream, launches, counter.data());
  check_ticks(launches, counter, stream, "a launch");
  cuda::Graph counted(stream, [&] { launch_ticks(stream, launches, counter.data()); });
  counted.launch(stream);
  check_ticks(2 * launches, counter, stream, "a graph");

  cuda::Graph graph(stream, [&] { launch_ticks(stream, launches, nullptr); });
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
  launch_ticks(stream, launches, nullptr);
  cuda::note_state("launches");
  stream.wait();
  lab.add(Value("launch_stream_us", each("stream"), "us", "an empty kernel, launched alone"));
  lab.add(Value("launch_graph_us", each("graph"), "us", "an empty kernel in a graph"));
}

// ---- How fast can it compute? ----

constexpr int warps_in_block = peak_threads / 32;

/// Measures tensor cores in bf16, with sums in fp32.
class TensorPeak {
 public:
  explicit TensorPeak(const cuda::Device& device)
      : blocks_(static_cast<unsigned>(2 * device.multiprocessors)),
        sums_(std::size_t{blocks_} * warps_in_block * mma_chains * 32 * mma_d_registers) {}

  void run(int times) { tensor_peak<<<blocks_, peak_threads>>>(a_.data(), b_.data(), times, sums_.data()); }
  double operations(int times) const {
    return static_cast<double>(blocks_) * warps_in_block * mma_chains * times * TensorOperands::operations;
  }

  void check() {
    constexpr int times = 5;
    sums_.poison();
    run(times);
    cuda::finish("mma.sync in bf16");
    bool right = true;
    std::size_t i = 0;
    for (const float sum : sums_.to_host()) {
      const int lane = static_cast<int>(i / mma_d_registers % 32), reg = static_cast<int>(i % mma_d_registers);
      right &= sum == static_cast<float>(times * TensorOperands::product_at(place_in_d(lane, reg)));
      ++i;
    }
    cuda::expect(right, "mma.sync in bf16");
  }

 private:
  unsigned blocks_;
  cuda::DeviceArray<std::uint32_t> a_{TensorOperands::a()}, b_{TensorOperands::b()};
  cuda::DeviceArray<float> sums_;
};

class FmaPeak {
 public:
  explicit FmaPeak(const cuda::Device& device)
      : blocks_(static_cast<unsigned>(4 * device.multiprocessors)),
        from_(numbers(std::size_t{blocks_} * peak_threads * fma_chains)),
        results_(from_.size()) {}

  void run(int times) { fma_peak<<<blocks_, peak_threads>>>(from_.data(), factor, addend, times, results_.data()); }
  double operations(int times) const { return 2.0 * times * static_cast<double>(results_.size()); }

  void check() {
    constexpr int times = 11;
    results_.poison();
    run(times);
    cuda::finish("fma_peak");
    bool right = true;
    std::size_t i = 0;
    for (const float result : results_.to_host()) {
      double exact = random_number(0, i++);
      for (int time = 0; time < times; ++time) exact = double{factor} * exact + double{addend};
      right &= std::abs(result - exact) <= times * 0x1p-24 * 1.5;  // no number exceeds 1.5; one rounding for each step
    }
    cuda::expect(right, "fma_peak");
  }

 private:
  static constexpr float factor = -0.9999f, addend = 0.25f;

  static std::vector<float> numbers(std::size_t count) {
    std::vector<float> units(count);
    for (std::size_t i = 0; i < count; ++i) units[i] = random_number(0, i);
    return units;
  }

  unsigned blocks_;
  cuda::DeviceArray<float> from_, results_;
};

void measure_device_peaks(Lab& lab, const cuda::Device& device) {
  constexpr int times = 4096;
  const bool has_bf16 = device.capability >= ampere;
  TensorPeak bf16(device);
  FmaPeak fp32(device);
  fp32.check();
  std::vector<Variant> variants = {cuda::timed_on_device("fp32", [&] { fp32.run(times); })};
  if (has_bf16) {
    bf16.check();
    variants.push_back(cuda::timed_on_device("bf16", [&] { bf16.run(times); }));
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan());
  const auto tera = [&](const char* id, double operations) {
    return transform(sampling.of(id), [=](double seconds) { return operations / seconds * 1e-12; });
  };
  lab.add(Value("gpu_fp32_peak_tflops", tera("fp32", fp32.operations(times)), "TFLOP/s", "fp32"));
  if (has_bf16)
    lab.add(Value("tensor_bf16_tflops", tera("bf16", bf16.operations(times)), "TFLOP/s", "bf16 by mma.sync"));
}

}  // namespace

std::string gpu_unavailable() {
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted != cudaSuccess)
    return std::string("no NVIDIA GPU, or no driver for it (") + cudaGetErrorString(counted) + ")";
  if (devices == 0) return "there is no CUDA device";
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, probe) != cudaSuccess) {
    return "this program was not compiled for this GPU: " + cuda::this_device().name +
           "; configure the build again on this machine";
  }
  return "";
}

std::vector<Step> gpu_steps() {
  std::vector<Step> steps;
  if (!gpu_unavailable().empty()) return steps;
  const cuda::Device device = cuda::this_device();
  const std::vector<Step> execution = {{"GPU divergence", [=](Lab& lab) { measure_divergence(lab, device); }, 0.5, 1},
                                       {"GPU launches", measure_launches, 1, 3},
                                       {"GPU peaks", [=](Lab& lab) { measure_device_peaks(lab, device); }, 1, 3}};
  for (const auto& part :
       {memory_steps(device), execution, decode_steps(device), token_steps(device), gpu_matmul_steps(device)})
    steps.insert(steps.end(), part.begin(), part.end());
  const auto conditions = std::make_shared<Conditions>(cuda::pci_bus_id());
  for (Step& step : steps) {
    step.may_fail = true;  // a wrong kernel, for example, must not stop the other steps
    step.measure = [step, conditions](Lab& lab) { conditions->measure(step, lab); };
  }
  steps.push_back({"GPU conditions", [=](Lab& lab) { conditions->add_to(lab); }, 0.01, 0.01});
  return steps;
}

}  // namespace hf::gpu
