#include "03-gpu/bench/cuda/device_steps.hpp"
#include "03-gpu/bench/cuda/reads.cuh"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "03-gpu/kernels/cuda/access.cuh"
#include "03-gpu/kernels/cuda/in_flight.cuh"
#include "03-gpu/kernels/cuda/latency.cuh"
#include "03-gpu/kernels/cuda/line_cycle.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/cuda/state_log.hpp"
#include "kit/cuda/timing.cuh"

namespace hf::gpu {
namespace {

constexpr std::size_t KiB = 1024;

// ---- How long does one thread wait? ----

/// A chase through every line of a part of the device's memory, in random order.
class Chase {
 public:
  explicit Chase(std::size_t bytes) : next_(random_cycle(bytes / sizeof(GpuLine), 1)), lines_(next_.size()) {
    const cuda::DeviceArray<std::uint32_t> next(next_);
    const auto count = static_cast<std::uint32_t>(next_.size());
    link_lines<<<(count + 255) / 256, 256>>>(lines_.data(), next.data(), count);
    cuda::finish("link_lines");
    at_.emplace(std::vector<const GpuLine*>{lines_.data()});
  }

  /// \return cycles
  long long follow(long long hops) {
    cycles_.poison();
    chase_lines<<<1, 1>>>(at_->data(), warm_hops(), hops, cycles_.data());
    cuda::note_state("one thread");
    cuda::finish("chase_lines");
    return cycles_.to_host().front();
  }

  /// Runs the first chase, which fills the caches, and checks that it ends where it should.
  void warm_and_check() {
    const auto hops = static_cast<long long>(std::min<std::size_t>(next_.size(), 1u << 19)) + 1;
    follow(hops);
    cuda::expect(at_->to_host().front() == lines_.data() + gpu::follow(next_, 0, warm_hops() + hops), "chase_lines");
  }

 private:
  /// Returns enough hops to refill L1 with the working set, if it fits.
  long long warm_hops() const { return static_cast<long long>(std::min<std::size_t>(next_.size(), 2048)); }

  std::vector<std::uint32_t> next_;
  cuda::DeviceArray<GpuLine> lines_;
  std::optional<cuda::DeviceArray<const GpuLine*>> at_;
  cuda::DeviceArray<long long> cycles_{1};
};

void measure_latency(Lab& lab, const cuda::Device& device) {
  // No kernel here needs shared memory, so all of it can be cache.
  HF_CUDA(
      cudaFuncSetAttribute(chase_lines, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1));
  Series series = {"gpu_latency", "one thread", Kind::measured, {"working set", "B"}, {"latency", "cycles"}};
  const std::size_t last = lab.quick() ? beyond_l2(device, 2) : beyond_l2(device, 8);
  const long long hops = 1 << 13;
  for (std::size_t octave = 4 * KiB; octave <= last; octave *= 2) {
    for (const std::size_t bytes : {octave, octave / 2 * 3}) {
      if (bytes > last) break;
      Chase chase(bytes);
      chase.warm_and_check();
      std::vector<double> cycles;
      for (int round = 0; round < (lab.quick() ? 3 : 7); ++round) {
        cycles.push_back(static_cast<double>(chase.follow(hops)) / hops);
      }
      series.points.emplace_back(static_cast<double>(bytes), estimate(cycles));
      lab.tick();
    }
  }
  lab.add(std::move(series));
}

// ---- How much do many threads get? ----

/// What L2 delivers, beside what memory delivers, from an array that fits into each half of it: an H100's consists of
/// two.
void measure_reads(Lab& lab, const cuda::Device& device) {
  Reads in_l2(device, device.l2_bytes / 4), in_memory(device, beyond_l2(device, 8));
  const auto times = static_cast<unsigned>(in_memory.bytes() / in_l2.bytes());
  in_l2.check(3);
  in_memory.check(1);
  const Sampling sampling = sample_interleaved({cuda::timed_on_device("l2", [&] { in_l2.run(times); }),
                                                cuda::timed_on_device("memory", [&] { in_memory.run(1); })},
                                               lab.plan());
  const double gain = times * in_l2.bytes() / in_memory.bytes();
  lab.add(Value("gpu_l2_gbs", rate(times * in_l2.bytes(), sampling.of("l2")), "GB/s", "reading, from L2"));
  lab.add(Value("gpu_read_gbs", rate(in_memory.bytes(), sampling.of("memory")), "GB/s", "reading, from memory"));
  lab.add(Value("gpu_l2_gain", hf::times(sampling.ratio("memory", "l2"), gain), "1", shown_as("L2 ÷ memory")));
}

// ---- Little's law ----

/// The memory that all chases read together, as one front.
class Front {
 public:
  Front(std::size_t bytes, std::int64_t most_chases)
      : nodes_(static_cast<std::int64_t>(bytes / node_bytes)),
        cells_(static_cast<std::size_t>(nodes_) * lanes),
        at_(static_cast<std::size_t>(most_chases) * lanes),
        sums_(at_.size()) {}

  /// Links the cells for this number of chases, and resets every chase to its start.
  void arrange(const Concurrency& by) {
    link_front<<<static_cast<unsigned>(nodes_ * lanes / 256), 256>>>(cells_.data(), nodes_, by.chases());
    std::vector<const Cell*> start(static_cast<std::size_t>(by.chases()) * lanes);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = cells_.data() + i;
    HF_CUDA(cudaMemcpy(at_.data(), start.data(), start.size() * sizeof start[0], cudaMemcpyHostToDevice));
    cuda::finish("link_front");
  }

  void follow(const Concurrency& by, int hops) {
    const auto blocks = static_cast<unsigned>(by.blocks), threads = static_cast<unsigned>(by.warps * lanes);
    if (by.loads == 1) follow_front<1><<<blocks, threads>>>(at_.data(), hops, sums_.data());
    if (by.loads == 2) follow_front<2><<<blocks, threads>>>(at_.data(), hops, sums_.data());
    if (by.loads == 4) follow_front<4><<<blocks, threads>>>(at_.data(), hops, sums_.data());
  }

  /// Runs a few hops, and checks that every thread has read every number.
  void check(const Concurrency& by) {
    constexpr int hops = 5;
    arrange(by);
    sums_.poison();
    follow(by, hops);
    cuda::finish("follow_front");
    const std::vector<std::uint64_t> sums = sums_.to_host();
    const int warps = by.blocks * by.warps;
    bool right = true;
    for (int thread = 0; thread < warps * lanes; ++thread) {
      std::uint64_t sum = 0;
      for (int load = 0; load < by.loads; ++load) {
        for (int hop = 0; hop < hops; ++hop) {
          const int chase = thread / lanes + load * warps;
          sum += cell_number(front_node(chase, hop, by.chases(), nodes_), thread % lanes);
        }
      }
      right &= sums[static_cast<std::size_t>(thread)] == sum;
    }
    cuda::expect(right, "follow_front");
  }

  /// Returns a variant in which one call is `hops` hops of every chase.
  Variant timed(std::string id, const Concurrency& by, int hops) {
    return {id, [this, id, by, hops](std::int64_t calls) {
              arrange(by);
              return cuda::timed_on_device(id, [&] { follow(by, hops); }).seconds(calls);
            }};
  }

 private:
  std::int64_t nodes_;
  cuda::DeviceArray<Cell> cells_;
  cuda::DeviceArray<const Cell*> at_;
  cuda::DeviceArray<std::uint64_t> sums_;
};

Series in_flight_series(Lab& lab, Front& front, const cuda::Device& device, int loads, const char* id,
                        const char* label) {
  constexpr int hops = 2048;
  const std::vector<Concurrency> sweep = concurrency_sweep(device.multiprocessors, device.warps, loads);
  std::vector<Variant> variants;
  for (const Concurrency& by : sweep) {
    front.check(by);
    variants.push_back(front.timed(std::to_string(by.chases()), by, hops));
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan(2));
  Series series = {id, label, Kind::measured, {"bytes in flight", "B"}, {"bandwidth", "GB/s"}};
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    series.points.emplace_back(sweep[i].bytes(), rate(sweep[i].bytes() * hops, sampling.seconds[i]));
  }
  return series;
}

/// Compares both sides of the law. Predicted: the latency of one warp's load, alone on the device, times the bandwidth
/// of the plateau. Measured: where the straight line of all other points meets the plateau.
void compare_little(Lab& lab, const Series& curve) {
  std::vector<CurvePoint> points;
  for (const Point& point : curve.points) points.push_back({point.x, point.y.median});
  const double alone_ns = points.front().bytes / points.front().gbs;
  const Knee knee = find_knee(std::span(points).subspan(1));
  const double predicted = alone_ns * knee.plateau_gbs;
  lab.add(Value("gpu_load_alone_ns", alone_ns, "ns", Kind::measured, "one warp's load, alone"));
  lab.add(Value("gpu_in_flight_gbs", knee.plateau_gbs, "GB/s", Kind::measured, "bandwidth of a full device"));
  lab.add(Value("gpu_little_predicted_bytes", predicted, "B", Kind::modelled, "latency times bandwidth"));
  lab.add(Value("gpu_little_error", std::abs(knee.bytes / predicted - 1), "1", Kind::measured));
  lab.show({"Little's law on the GPU",
            {"", "bytes in flight"},
            {{"latency alone times bandwidth", number_text(predicted)}, {"at the knee", number_text(knee.bytes)}}});
}

void measure_in_flight(Lab& lab, const cuda::Device& device) {
  constexpr int most_loads = 4;
  Front front(beyond_l2(device, lab.quick() ? 4 : 16),
              std::int64_t{device.multiprocessors} * device.warps * most_loads);
  const Series one = in_flight_series(lab, front, device, 1, "gpu_bandwidth_in_flight", "one load per thread");
  lab.add(one);
  lab.add(in_flight_series(lab, front, device, most_loads, "gpu_bandwidth_in_flight_4", "four loads per thread"));
  compare_little(lab, one);
}

// ---- Which access patterns are fast? ----

void measure_strides(Lab& lab, const cuda::Device& device) {
  cuda::DeviceArray<std::uint32_t> words(beyond_l2(device, 8) / sizeof(std::uint32_t));
  const auto blocks = static_cast<unsigned>(device.multiprocessors * 8);
  cuda::DeviceArray<std::uint32_t> sums(blocks * stride_threads);
  fill_words<<<1024, 256>>>(words.data(), words.size());
  cuda::finish("fill_words");
  const auto run = [&](std::size_t stride) {
    sum_strided<<<blocks, stride_threads>>>(words.data(), words.size() / stride / stride_tile, stride, sums.data());
  };
  const std::vector<std::size_t> strides = {1, 2, 4, 8, 16, 32};
  std::vector<Variant> variants;
  for (const std::size_t stride : strides) {
    sums.poison();
    run(stride);
    cuda::finish("sum_strided");
    std::uint32_t sum = 0, expected = 0;
    for (const std::uint32_t each : sums.to_host()) sum += each;
    for (std::size_t i = 0; i < words.size() / stride; ++i) expected += input_word(i * stride);
    cuda::expect(sum == expected, "sum_strided");
    variants.push_back(cuda::timed_on_device(std::to_string(stride), [=] { run(stride); }));
    lab.tick();
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan(2));
  Series series = {"gpu_stride", "words used", Kind::measured, {"stride", "1"}, {shown_as("useful bandwidth"), "GB/s"}};
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const double bytes = static_cast<double>(words.size() / strides[i] * sizeof(std::uint32_t));
    series.points.emplace_back(static_cast<double>(strides[i]), rate(bytes, sampling.seconds[i]));
  }
  lab.add(series);
  lab.add(Value("gpu_coalescing_gain", series.points.front().y.median / series.points.back().y.median, "1",
                Kind::measured, shown_as("useful bandwidth: adjacent words ÷ words 32 apart")));
}

void measure_banks(Lab& lab) {
  constexpr int rounds = 512;
  cuda::DeviceArray<std::uint32_t> sums(bank_warps * 32);
  cuda::DeviceArray<long long> cycles(1);
  const std::vector<int> strides = {1, 2, 4, 8, 16, 32};
  std::map<int, std::vector<double>> samples;
  for (int sample = 0; sample < lab.plan().rounds; ++sample) {
    for (const int stride : strides) {
      sums.poison();
      cycles.poison();
      load_banks<<<1, bank_warps * 32>>>(stride, rounds, sums.data(), cycles.data());
      cuda::note_state("banks");
      cuda::finish("load_banks");
      const std::vector<std::uint32_t> found = sums.to_host();
      for (std::size_t thread = 0; thread < found.size(); ++thread) {
        std::uint32_t expected = 0;
        for (int load = 0; load < bank_loads; ++load) expected += input_word(bank_word(thread % 32, stride, load));
        cuda::expect(found[thread] == expected * rounds, "load_banks");
      }
      samples[stride].push_back(static_cast<double>(cycles.to_host().front()) / (rounds * bank_loads * bank_warps));
    }
  }
  Series series = {"gpu_bank_conflicts",
                   "a warp's load",
                   Kind::measured,
                   {shown_as("words requested from one bank"), "1"},
                   {"cycles per load of a warp", "cycles"}};
  for (const int stride : strides) series.points.emplace_back(conflict_ways(stride), estimate(samples[stride]));
  lab.add(Value("gpu_bank_conflict_cost", ratio(samples[32], samples[1]), "1",
                shown_as("32 words in one bank ÷ one in each")));
  lab.add(std::move(series));
}

}  // namespace

std::vector<Step> memory_steps(const cuda::Device& device) {
  return {{"GPU latency", [=](Lab& lab) { measure_latency(lab, device); }, 3, 10},
          {"GPU bandwidth of L2", [=](Lab& lab) { measure_reads(lab, device); }, 1, 4},
          {"GPU bytes in flight", [=](Lab& lab) { measure_in_flight(lab, device); }, 4, 16},
          {"GPU access patterns",
           [=](Lab& lab) {
             measure_strides(lab, device);
             measure_banks(lab);
           },
           2, 6}};
}

}  // namespace hf::gpu
