#include "02-matmul/bench/sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"

namespace hf::matmul {

bool is_slow(const Lab& lab) { return lab.value(first_peak_id) < 10; }

std::size_t anatomy_size(const Lab& lab) { return is_slow(lab) ? 200 : lab.quick() ? 790 : 1000; }

std::vector<std::size_t> ladder_sizes(const Lab& lab) {
  if (is_slow(lab)) return {64, 128, 200, 256, 512, 1024};
  if (lab.quick()) return {64, 128, 256, 512, 790, 1024};
  return {64, 96, 128, 192, 256, 384, 512, 768, 1000, 1024, 1536, 2048, 3072, 4096};
}

std::vector<std::size_t> conflict_sizes(const Lab& lab) {
  if (lab.quick() || is_slow(lab)) return {992, 1008, 1023, 1024, 1025, 1040};
  std::vector<std::size_t> sizes = {1020, 1023, 1025, 1028};
  for (std::size_t n = 896; n <= 1152; n += 16) sizes.push_back(n);
  std::ranges::sort(sizes);
  return sizes;
}

std::size_t blocking_size(const Lab& lab) { return is_slow(lab) ? 256 : lab.quick() ? 1024 : 2048; }

ConvolutionShape convolution_shape(const Lab& lab) {
  const std::size_t channels = is_slow(lab) ? 8 : 64;
  return {channels, channels, 56, 56, 3};
}

AttentionShape attention_shape(const Lab& lab) { return {is_slow(lab) ? std::size_t{128} : 512, 64}; }

PerceptronShape perceptron_shape(const Lab& lab) {
  const std::size_t width = is_slow(lab) ? 96 : 768;
  return {.batch = 32, .inputs = width, .hidden = 4 * width};
}

Plan patient_plan(const Lab& lab, int parts) {
  Plan plan = lab.plan(parts);
  plan.warm_seconds = 0;
  plan.minimum_rounds = 3;
  return plan;
}

}  // namespace hf::matmul
