#include "02-matmul/bench/layers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "02-matmul/bench/steps.hpp"
#include "02-matmul/check/layers_reference.hpp"
#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "02-matmul/kernels/vector_layers.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"

namespace hf::matmul {
namespace {

/// Arrays of random numbers, kept as long as the functions that use them.
class Arrays {
 public:
  float* add(std::size_t floats) {
    buffers_.emplace_back(std::max<std::size_t>(floats, 1) * sizeof(float), Pages::huge);
    fill_random(buffers_.back().as<float>(), static_cast<std::uint32_t>(buffers_.size()));
    return buffers_.back().as<float>().data();
  }

 private:
  std::vector<Buffer> buffers_;
};

double worst_convolution(const ConvolutionShape& s, const float* image, const float* filters, const float* out) {
  double worst = 0;
  const std::size_t step = s.outputs() / 500 | 1;
  for (std::size_t i = 0; i < s.outputs(); i += step) {
    const std::size_t o = i / s.pixels(), y = i % s.pixels() / s.width, x = i % s.width;
    worst = std::max(worst, error_share(out[i], reference_convolution(s, image, filters, o, y, x)));
  }
  return worst;
}

}  // namespace

LayerRun convolution_run(const ConvolutionShape& s, const Gemm& gemm) {
  const auto arrays = std::make_shared<Arrays>();
  const float *image = arrays->add(s.inputs()), *filters = arrays->add(s.weights());
  float *columns = arrays->add(s.patch() * s.pixels()), *out = arrays->add(s.outputs());
  return {
      .label =
          std::to_string(s.height) + "×" + std::to_string(s.width) + ", " + std::to_string(s.in_channels) + " channels",
      .flops = s.flops(),
      .data = arrays,
      .out = {out, s.outputs()},
      .error_share = [=] { return worst_convolution(s, image, filters, out); },
      .forms = {{"direct", [=] { direct_convolution(s, image, filters, out); }},
                {"reordered", [=] { reordered_convolution(s, image, filters, out); }},
                {"gemm", [=] { gemm_convolution(s, image, filters, columns, out, gemm); }}},
  };
}

LayerRun attention_run(const AttentionShape& s, const Gemm& gemm) {
  const auto arrays = std::make_shared<Arrays>();
  const float *q = arrays->add(s.numbers()), *k = arrays->add(s.numbers()), *v = arrays->add(s.numbers());
  float *out = arrays->add(s.numbers()), *scratch = arrays->add(s.scratch() + 2 * s.tokens);
  const auto right = [=] {
    double worst = 0;
    std::vector<Reference> row(s.d);
    for (std::size_t i : {std::size_t{0}, s.tokens / 3, s.tokens - 1}) {
      reference_attention(s.tokens, s.d, q, k, v, i, row);
      worst = std::max(worst, worst_error_share({out + i * s.d, s.d}, row));
    }
    return worst;
  };
  return {
      .label = "attention, " + std::to_string(s.tokens) + " tokens",
      .flops = s.flops(),
      .data = arrays,
      .out = {out, s.numbers()},
      .error_share = right,
      .forms = {{"direct", [=] { direct_attention(s, q, k, v, out, scratch, vector_softmax); }},
                {"vector", [=] { vector_attention(s, q, k, v, out, scratch, vector_softmax); }},
                {"gemm", [=] { gemm_attention(s, q, k, v, out, scratch, vector_softmax, gemm); }}},
  };
}

LayerRun perceptron_run(const PerceptronShape& s, const Gemm& gemm) {
  const auto arrays = std::make_shared<Arrays>();
  const std::size_t weights = s.inputs * s.hidden;
  const float *x = arrays->add(s.batch * s.inputs), *first = arrays->add(weights), *second = arrays->add(weights);
  const float *first_bias = arrays->add(s.hidden), *second_bias = arrays->add(s.inputs);
  float *first_rows = arrays->add(weights), *second_rows = arrays->add(weights);
  float *hidden = arrays->add(s.batch * s.hidden), *out = arrays->add(s.batch * s.inputs);
  transpose(s.inputs, s.hidden, first, first_rows);
  transpose(s.hidden, s.inputs, second, second_rows);
  const PerceptronWeights by_input = {first, first_bias, second, second_bias};
  const PerceptronWeights by_neuron = {first_rows, first_bias, second_rows, second_bias};
  const auto right = [=] {
    double worst = 0;
    std::vector<Reference> row(s.inputs);
    for (std::size_t i : {std::size_t{0}, s.batch - 1}) {
      reference_perceptron(s, by_input, x + i * s.inputs, row);
      worst = std::max(worst, worst_error_share({out + i * s.inputs, s.inputs}, row));
    }
    return worst;
  };
  return {
      .label = "perceptron, batch " + std::to_string(s.batch),
      .flops = s.flops(),
      .data = arrays,
      .out = {out, s.batch * s.inputs},
      .error_share = right,
      .forms = {{"direct", [=] { direct_perceptron(s, by_neuron, x, hidden, out); }},
                {"vector", [=] { vector_perceptron(s, by_neuron, x, hidden, out); }},
                {"gemm", [=] { gemm_perceptron(s, by_input, x, hidden, out, gemm); }}},
  };
}

void check(const LayerRun& layer) {
  for (const LayerForm& each : layer.forms) {
    std::ranges::fill(layer.out, std::numeric_limits<float>::quiet_NaN());
    each.run();
    const double worst = layer.error_share();
    if (worst <= 1) continue;
    throw std::runtime_error(layer.label + ", " + each.id + ", is wrong: its error is " + number_text(worst) +
                             " times what rounding allows; it was not timed");
  }
}

namespace {

/// Checks a layer, then times all its forms, interleaved.
Sampling time_layer(const Lab& lab, const LayerRun& layer) {
  check(layer);
  std::vector<Variant> variants;
  for (const LayerForm& each : layer.forms) variants.push_back(timed(each.id, each.run));
  return sample_interleaved(variants, patient_plan(lab, 3));  // there are three layers
}

/// A layer of ResNet.
void measure_convolution(Lab& lab, const Gemm& gemm) {
  const std::size_t channels = is_slow(lab) ? 8 : 64;
  const ConvolutionShape shape = {channels, channels, 56, 56, 3};
  const Sampling sampling = time_layer(lab, convolution_run(shape, gemm));
  lab.add(Value("im2col_speedup", sampling.ratio("direct", "gemm"), "1"));
  lab.add(Value("im2col_over_reordered", sampling.ratio("reordered", "gemm"), "1"));
  lab.modelled("im2col_extra_bytes", 4 * static_cast<double>(shape.patch() * shape.pixels()), "B");
  lab.modelled("im2col_input_bytes", 4 * static_cast<double>(shape.inputs()), "B");
}

/// One head of GPT-2 small.
void measure_attention(Lab& lab, const Gemm& gemm) {
  const AttentionShape shape = {is_slow(lab) ? std::size_t{128} : 512, 64};
  const Sampling sampling = time_layer(lab, attention_run(shape, gemm));
  lab.add(Value("attention_direct_gflops", rate(shape.flops(), sampling.of("direct")), "GFLOP/s"));
  lab.add(Value("attention_vector_gflops", rate(shape.flops(), sampling.of("vector")), "GFLOP/s"));
  lab.add(Value("attention_gemm_gflops", rate(shape.flops(), sampling.of("gemm")), "GFLOP/s"));
  lab.modelled("attention_scores_bytes", 4 * static_cast<double>(shape.scores()), "B");
}

/// The perceptron in a layer of GPT-2 small.
void measure_perceptron(Lab& lab, const Gemm& gemm) {
  const std::size_t width = is_slow(lab) ? 96 : 768;
  const PerceptronShape shape = {.batch = 32, .inputs = width, .hidden = 4 * width};
  const Sampling sampling = time_layer(lab, perceptron_run(shape, gemm));
  lab.add(Value("perceptron_direct_gflops", rate(shape.flops(), sampling.of("direct")), "GFLOP/s"));
  lab.add(Value("perceptron_vector_gflops", rate(shape.flops(), sampling.of("vector")), "GFLOP/s"));
  lab.add(Value("perceptron_gemm_gflops", rate(shape.flops(), sampling.of("gemm")), "GFLOP/s"));
  lab.add(Value("perceptron_over_vector", sampling.ratio("vector", "gemm"), "1"));
}

}  // namespace

void measure_layers(Lab& lab) {
  const Gemm best = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    gemm(m, n, k, a, b, c);
  };
  measure_convolution(lab, best);
  measure_attention(lab, best);
  measure_perceptron(lab, best);
}

}  // namespace hf::matmul
