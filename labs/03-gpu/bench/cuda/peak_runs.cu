#include "03-gpu/bench/cuda/device_steps.hpp"

#include <cmath>

#include "03-gpu/kernels/cuda/tensor_operands.hpp"
#include "03-gpu/kernels/cuda/tensor_peak.cuh"
#include "common/cuda/timing.cuh"

namespace hf::gpu {
namespace {

constexpr int warps_in_block = peak_threads / 32;

/// Tensor cores in bf16, with sums in fp32.
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
      right &= std::abs(result - exact) <= times * 0x1p-24 * 1.5;  // no number exceeds 1.5; one rounding each time
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
  TensorPeak bf16(device);
  FmaPeak fp32(device);
  bf16.check();
  fp32.check();
  const Sampling sampling = sample_interleaved({cuda::timed_on_device("bf16", [&] { bf16.run(times); }),
                                                cuda::timed_on_device("fp32", [&] { fp32.run(times); })},
                                               lab.plan());
  const auto tera = [&](const char* id, double operations) {
    return transform(sampling.of(id), [=](double seconds) { return operations / seconds * 1e-12; });
  };
  lab.add(Value("gpu_fp32_peak_tflops", tera("fp32", fp32.operations(times)), "TFLOP/s", "fp32"));
  lab.add(Value("tensor_bf16_tflops", tera("bf16", bf16.operations(times)), "TFLOP/s", "bf16 by mma.sync"));
}

}  // namespace

std::vector<Step> peak_steps(const cuda::Device& device) {
  return {{"GPU peaks", [=](Lab& lab) { measure_device_peaks(lab, device); }, 1, 3}};
}

}  // namespace hf::gpu
