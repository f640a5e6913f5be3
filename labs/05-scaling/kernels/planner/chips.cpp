#include "05-scaling/kernels/planner/chips.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace hf::scaling {
namespace {

constexpr double T = 1e12, G = 1e9, GiB = 1024.0 * 1024 * 1024, us = 1e-6;

// Data sheets: stas00/ml-engineering, compute/accelerator, and jax-ml/scaling-book, tpus.md. Best products: the former,
// and tpu-recipes, microbenchmarks/README.md. Switch: bus bandwidth of a large all-reduce by ring. Latencies: what NCCL
// itself reckons with for a ring's step (src/graph/tuning.cc, hwLatencies, Simple: over NVLink and over the network).
// Multiprocessors: of a B200, chipsandcheese.com on Nvidia's B200; of a GB200, what kernels that ran on one say it reported; of
// an MI300X, its compute units in ROCm's reference/gpu-specs.
const char* const gpu_source = "stas00/ml-engineering; NVIDIA/dgxc-benchmarking@841f546; NVIDIA/nccl@5067397";
// The switch from here: rings of GB200s, which a B200's links are too, and of MI300Xs, whose latency is that of 1 MiB.
const char* const azure = "stas00/ml-engineering@744d01e; Azure/AI-benchmarking-guide@2a370be; NVIDIA/nccl@5067397";
const char* const tpu_source = "jax-ml/scaling-book@0819a7d";
// The network from here. TPU7x is said to have v5p's links, so it gets what those sustain.
const char* const cloud_source = "cloud.google.com/tpu/docs/v6e, tpu7x; jax-ml/scaling-book@0819a7d";

}  // namespace

const std::vector<Chip>& chips() {
  static const std::vector<Chip> all = {
      {"a100-40", 312 * T, 271 * T, 0, 108, 40 * GiB, 1.555 * T, 8, 0, 235 * G, 3.4 * us, 25 * G, 14 * us, gpu_source},
      {"a100", 312 * T, 271 * T, 0, 108, 80 * GiB, 2.0 * T, 8, 0, 235 * G, 3.4 * us, 25 * G, 14 * us, gpu_source},
      {"h100", 989 * T, 794 * T, 1402.6 * T, 132, 80 * GiB, 3.35 * T, 8, 0, 365 * G, 3.4 * us, 50 * G, 14 * us,
       gpu_source},
      {"h200", 989 * T, 794 * T, 1453.4 * T, 132, 141 * GiB, 4.8 * T, 8, 0, 367 * G, 3.4 * us, 50 * G, 14 * us,
       gpu_source},
      {"b200", 2250 * T, 1745 * T, 3432.5 * T, 148, 180 * G, 8.0 * T, 8, 0, 680 * G, 3.4 * us, 50 * G, 14 * us, azure},
      {"gb200", 2500 * T, 1822 * T, 3615.6 * T, 152, 186 * G, 8.0 * T, 72, 0, 680 * G, 3.4 * us, 50 * G, 14 * us,
       azure},
      {"mi300x", 1307 * T, 668 * T, 1159 * T, 304, 192 * G, 5.3 * T, 8, 0, 316 * G, 5.2 * us, 50 * G, 14 * us, azure},
      {"tpu-v4", 275 * T, 275 * T, 0, 0, 32 * GiB, 1.2 * T, 4096, 3, 45 * G, 1 * us, 6.25 * G, 50 * us, tpu_source},
      {"tpu-v5e", 197 * T, 197 * T, 0, 0, 16 * GiB, 0.81 * T, 256, 2, 45 * G, 1 * us, 3.125 * G, 50 * us, tpu_source},
      {"tpu-v5p", 459 * T, 459 * T, 0, 0, 95 * GiB, 2.765 * T, 8960, 3, 90 * G, 1 * us, 6.25 * G, 50 * us, tpu_source},
      {"tpu-v6e", 918 * T, 827 * T, 0, 0, 32 * GiB, 1.638 * T, 256, 2, 90 * G, 1 * us, 12.5 * G, 50 * us, cloud_source},
      {"tpu-7x", 2307 * T, 2307 * T, 0, 0, 192 * GiB, 7.38 * T, 9216, 3, 90 * G, 1 * us, 12.5 * G, 50 * us,
       cloud_source},
  };
  return all;
}

const Chip& chip(const std::string& name) {
  std::string names;
  for (const Chip& one : chips()) {
    if (one.name == name) return one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw std::runtime_error("--chip " + name + ": unknown; the chips are " + names);
}

Wire wire_between(const Chip& chip, int stride, int size, int axes) {
  if (chip.torus_axes > 0) {
    if (stride * size <= chip.together) return {2 * chip.link * axes, chip.link_latency, false};
    return {chip.network, chip.network_latency, true};
  }
  const int in_node = std::clamp(chip.together / stride, 1, size);
  if (in_node == size) return {chip.link, chip.link_latency, false};
  const double nodes = std::ceil(static_cast<double>(size) / in_node);  // a ring leaves each of them once
  const double latency = ((size - nodes) * chip.link_latency + (nodes - 1) * chip.network_latency) / (size - 1);
  return {std::min(chip.link, in_node * chip.network), latency, true};
}

double ring_seconds(const Wire& wire, int n, double bytes) {
  return n <= 1 ? 0 : (n - 1) * (wire.latency + bytes / n / wire.bandwidth);
}

}  // namespace hf::scaling
