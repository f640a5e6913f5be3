// Chapter 00's model on the GPU: tokens of one text after about 500 others.
#include "03-gpu/bench/cuda/token_runs.hpp"

#include <memory>

#include "03-gpu/bench/cuda/reads.cuh"
#include "03-gpu/check/token_reference.hpp"
#include "03-gpu/kernels/cuda/token.cuh"
#include "03-gpu/kernels/cuda/token_buffers.cuh"
#include "kit/cuda/device.cuh"
#include "kit/cuda/graph.cuh"
#include "kit/cuda/timing.cuh"
#include "kit/transformer/transformer.hpp"

namespace hf::gpu {
namespace {

/// The text goes round between these positions: as many tokens as chapter 00 generates after its prompt.
constexpr int first_position = 512, last_position = 520;

/// The model on the device. \throws std::runtime_error if its first token is wrong
class DeviceText {
 public:
  explicit DeviceText(const workload::TransformerShape& shape)
      : text_(shape, last_position),
        weights_(text_.weights),
        buffers_(shape, text_.keys_or_values(0), text_.keys_or_values(1)),
        token_(shape, {weights_.data(), text_.model.weights()}, buffers_.memory()) {
    buffers_.set_end({1, first_position});
    launch();
    stream_.wait();
    const double worst = worst_logit(buffers_.logits.to_host(), text_.logits(1, first_position), shape.layers);
    cuda::expect(worst <= 1, "a token of chapter 00's model");
    graph_ = std::make_unique<cuda::Graph>(stream_, [this] { launch(); });
  }

  int kernels() const { return token_.kernels(); }

  void run_kernels() {
    launch();
    stream_.wait();
  }
  void run_graph() {
    graph_->launch(stream_);
    stream_.wait();
  }

 private:
  void launch() {
    token_.launch(stream_, first_position, last_position);
    HF_CUDA(cudaGetLastError());
  }

  ReferenceText text_;
  cuda::Stream stream_;
  cuda::DeviceArray<Bf16> weights_;
  TokenBuffers buffers_;
  Token token_;
  std::unique_ptr<cuda::Graph> graph_;
};

void measure_token(Lab& lab, const cuda::Device& device) {
  const workload::TransformerShape shape = workload::gpt2_small;
  DeviceText text(shape);
  Reads reads(device, beyond_l2(device, 8));
  reads.check(1);
  const Sampling sampling =
      sample_interleaved({cuda::timed_on_device("read", [&] { reads.run(1); }),
                          timed("kernels", [&] { text.run_kernels(); }), timed("graph", [&] { text.run_graph(); })},
                         lab.plan());
  lab.add(Value("gpu_token_alone_us", times(sampling.of("kernels"), 1e6), "us", "a token, kernel by kernel"));
  lab.add(Value("gpu_token_us", times(sampling.of("graph"), 1e6), "us", "a token, in a graph"));
  lab.add(Value("gpu_tokens_per_s", transform(sampling.of("graph"), [](double seconds) { return 1 / seconds; }),
                "tokens/s", "one text, 16-bit weights"));
  lab.modelled("gpu_token_kernels", text.kernels());
  // Chapter 00 counts its own bytes, of numbers twice as long.
  const double bytes = shape.decode_bytes((first_position + last_position + 1) / 2.0) / 2;
  const double bound = reads.bytes() / sampling.of("read").median / bytes;
  lab.modelled("gpu_token_bytes", bytes, "B");
  lab.modelled("gpu_tokens_bound_per_s", bound, "tokens/s");
}

}  // namespace

std::vector<Step> token_steps(const cuda::Device& device) {
  return {{"GPU: a token", [=](Lab& lab) { measure_token(lab, device); }, 5, 10}};
}

}  // namespace hf::gpu
