#include "00-workload/kernels/sizes.hpp"

#include <cstdint>
#include <iterator>

#include "00-workload/kernels/training.hpp"
#include "harness/measure/as_double.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {
namespace {

constexpr Sizes all_sizes[] = {
    {transformers[0].name, transformers[0].shape, 512, 8, 256, {784, 2048, 10}, 128, {224, 64, 1000}},
    {transformers[1].name, transformers[1].shape, 256, 8, 128, {784, 1024, 10}, 64, {96, 64, 1000}},
    {transformers[2].name, transformers[2].shape, 64, 4, 32, {784, 256, 10}, 16, {32, 16, 100}},
};

}  // namespace

double Sizes::flops() const {
  const double per_token = 2 * as_double(transformer.parameters());
  const double dense = as_double(mlp.hidden * (mlp.inputs + mlp.hidden) * mlp_batch);
  const double pixels = as_double(resnet.side * resnet.side), width = as_double(resnet.width);
  const double convolutions = 8.8 * pixels * width * width;  // 1.8 · 10^9 for the published ResNet-18
  return per_token * as_double(prompt + decoded + 3 * training_tokens) + 2 * (dense + convolutions);
}

std::uint64_t Sizes::bytes() const {
  const std::uint64_t others = std::uint64_t{600} << 20;  // activations, pictures, the library's own buffers and stacks
  return sizeof(float) * transformer.parameters() + Training::bytes(transformer, 1, training_tokens) + others;
}

Sizes choose_sizes(double gflops, double seconds, std::uint64_t memory_bytes) {
  for (const Sizes& sizes : all_sizes) {
    if (sizes.flops() <= gflops * 1e9 * seconds && sizes.bytes() <= memory_bytes) return sizes;
  }
  return *std::rbegin(all_sizes);
}

}  // namespace hf::workload
