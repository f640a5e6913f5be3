/// \file
/// Chapter 00's model on a GPU: all kernels that one token of one text takes. Weights, keys, values and the vectors that
/// weights multiply are in bf16; sums, and what the layers add to, are in fp32.
///
/// The kernels find the token and its position in the device's memory, and leave the next there, so that a graph of them
/// can be started again and again.
#pragma once

#include <climits>
#include <cmath>

#include "03-gpu/kernels/cuda/gemv.cuh"
#include "kit/transformer/transformer.hpp"

#ifdef __CUDACC__
/// Starts a kernel in a stream.
#define HF_LAUNCH_IN(stream, kernel, grid, block, ...) kernel<<<grid, block, 0, stream>>>(__VA_ARGS__)
#endif

namespace hf::gpu {

/// The latest token, and how many come before it.
struct TextEnd {
  int token, position;
};

/// Memory for the token under way, and for all before it.
struct TokenMemory {
  TextEnd* end;
  float *x, *query, *logits;                         ///< C, C, V numbers
  Bf16 *normed, *attended, *active, *keys, *values;  ///< C, C, 4C; (layers, H, capacity, D)
  int capacity;                                      ///< positions, at most most_positions
};

/// The weights on the device, all tensors in chapter 00's order.
struct DeviceWeights {
  const Bf16* first;
  const workload::TransformerTensors& original;

  /// The copy of one of the tensors.
  const Bf16* operator()(const float* tensor) const { return first + (tensor - original.all().data()); }
};

constexpr int head_width = 64, most_positions = 1024;

/// Every thread of the block gets combine(…) of all threads' values.
template <class Value, class Combine>
__device__ Value over_block(Value mine, Combine combine) {
  __shared__ Value of_warps[32];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    mine = combine(mine, __shfl_xor_sync(0xffffffffu, mine, distance));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = of_warps[0];
  for (int warp = 1; warp < static_cast<int>(blockDim.x) / 32; ++warp) mine = combine(mine, of_warps[warp]);
  __syncthreads();  // the next call uses the same memory
  return mine;
}

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};
struct Smaller {
  __device__ int operator()(int a, int b) const { return a < b ? a : b; }
};

constexpr int row_threads = 256;  ///< of a block that works on one row

/// x = the token's row of the table + its position's.
static __global__ void __launch_bounds__(row_threads)
    embed_kernel(const TextEnd* end, const Bf16* tokens, const Bf16* positions, int width, float* x) {
  for (int i = threadIdx.x; i < width; i += row_threads)
    x[i] = to_float(tokens[end->token * width + i]) + to_float(positions[end->position * width + i]);
}

/// One block.
static __global__ void __launch_bounds__(row_threads)
    layer_norm_kernel(const float* x, const Bf16* gain, const Bf16* bias, int width, Bf16* to) {
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < width; i += row_threads) sum += x[i];
  const float mean = over_block(sum, Plus()) / static_cast<float>(width);
  for (int i = threadIdx.x; i < width; i += row_threads) squares += (x[i] - mean) * (x[i] - mean);
  const float scale = 1 / sqrtf(over_block(squares, Plus()) / static_cast<float>(width) + 1e-5f);
  for (int i = threadIdx.x; i < width; i += row_threads)
    to[i] = to_bf16((x[i] - mean) * scale * to_float(gain[i]) + to_float(bias[i]));
}

/// softmax(query · keysᵀ / √D) · values over all positions up to the latest; a block for each head.
static __global__ void __launch_bounds__(row_threads)
    attend_kernel(const TextEnd* end, const float* query, const Bf16* keys, const Bf16* values, int capacity,
                  Bf16* to) {
  constexpr int team = head_width / 8, teams = row_threads / team;  // eight threads have a key, eight numbers each
  __shared__ float weights[most_positions], parts[teams][head_width];
  const int first = blockIdx.x * head_width, in_team = threadIdx.x % team, my_team = threadIdx.x / team;
  const int positions = end->position + 1;
  const auto load_eight = [&](const Bf16* from, int position, Eight& to_eight) {
    const Bf16* at = from + (blockIdx.x * capacity + position) * head_width + in_team * 8;
    const uint4 loaded = *reinterpret_cast<const uint4*>(at);
    decode(Bf16Weights(), {loaded.x, loaded.y, loaded.z, loaded.w}, 0, to_eight);
  };
  Eight numbers;
  float highest = -INFINITY;
  for (int base = 0; base < positions; base += teams) {  // the whole warp takes part in the last turn
    const int position = base + my_team;
    float score = 0;
    if (position < positions) {
      load_eight(keys, position, numbers);
      for (int i = 0; i < 8; ++i) score += query[first + in_team * 8 + i] * numbers[i];
    }
    for (int distance = team / 2; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffffu, score, distance);
    if (position >= positions) continue;
    score *= 1 / sqrtf(head_width);
    highest = Larger()(highest, score);
    if (in_team == 0) weights[position] = score;
  }
  highest = over_block(highest, Larger());
  float sum = 0, sums[8] = {};
  for (int position = threadIdx.x; position < positions; position += row_threads) {
    weights[position] = expf(weights[position] - highest);
    sum += weights[position];
  }
  sum = over_block(sum, Plus());
  for (int position = my_team; position < positions; position += teams) {
    load_eight(values, position, numbers);
    for (int i = 0; i < 8; ++i) sums[i] += weights[position] * numbers[i];
  }
  for (int i = 0; i < 8; ++i) parts[my_team][in_team * 8 + i] = sums[i];
  __syncthreads();
  for (int i = threadIdx.x; i < head_width; i += row_threads) {
    float mixed = 0;
    for (int each = 0; each < teams; ++each) mixed += parts[each][i];
    to[first + i] = to_bf16(mixed / sum);
  }
}

constexpr int choice_threads = 1024;

/// Appends the token with the highest logit, the first of several; after position `last` − 1 the text goes back to
/// `first`. One block.
static __global__ void __launch_bounds__(choice_threads)
    choose_kernel(const float* logits, int vocabulary, int first, int last, TextEnd* end) {
  float best = -INFINITY;
  int index = INT_MAX;
#pragma unroll 8
  for (int i = threadIdx.x; i < vocabulary; i += choice_threads) {
    if (!(logits[i] > best)) continue;
    best = logits[i];
    index = i;
  }
  const float highest = over_block(best, Larger());
  const int chosen = over_block(best == highest ? index : INT_MAX, Smaller());
  if (threadIdx.x == 0) *end = {chosen, end->position + 1 < last ? end->position + 1 : first};
}

// ---- What becomes of the rows of the products ----

/// The query; the key and the value join those of earlier positions. (3C rows)
struct StoreQkv {
  const TextEnd* end;
  const Bf16* bias;
  float* query;
  Bf16 *keys, *values;  ///< of this layer
  int width, capacity;

  __device__ void operator()(int row, int, float sum) const {
    sum += to_float(bias[row]);
    if (row < width) {
      query[row] = sum;
      return;
    }
    Bf16* to = row < 2 * width ? keys : values;
    const int in_row = row % width, head = in_row / head_width;
    to[(head * capacity + end->position) * head_width + in_row % head_width] = to_bf16(sum);
  }
};

/// Adds a layer's result to its input.
struct AddTo {
  const Bf16* bias;
  float* x;
  __device__ void operator()(int row, int, float sum) const { x[row] += sum + to_float(bias[row]); }
};

/// GELU, in the form with a hyperbolic tangent.
struct StoreGelu {
  const Bf16* bias;
  Bf16* to;
  __device__ void operator()(int row, int, float sum) const {
    const float x = sum + to_float(bias[row]);
    to[row] = to_bf16(x / (1 + expf(-2 * 0.7978845608028654f * (x + 0.044715f * x * x * x))));
  }
};

// ---- All of it ----

/// The kernels of one token, one after the other in a stream.
class Token {
 public:
  Token(const workload::TransformerShape& shape, DeviceWeights weights, const TokenMemory& memory)
      : width_(static_cast<int>(shape.width)), shape_(shape), weights_(weights), memory_(memory) {}

  /// Kernels that launch() starts.
  int kernels() const { return static_cast<int>(7 * shape_.layers) + 4; }

  /// \param first, last  the positions between which the text goes round; see choose_kernel()
  void launch(cudaStream_t stream, int first, int last) const {
    const workload::TransformerTensors& w = weights_.original;
    const auto& m = memory_;
    const int vocabulary = static_cast<int>(shape_.vocabulary);
    HF_LAUNCH_IN(stream, embed_kernel, 1, row_threads, m.end, weights_(w.token_embedding),
                 weights_(w.position_embedding), width_, m.x);
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) launch_layer(stream, static_cast<int>(layer));
    launch_norm(stream, w.norm_gain, w.norm_bias);
    multiply<4>(stream, w.token_embedding, vocabulary, width_, m.normed, StoreProduct{m.logits, vocabulary});
    HF_LAUNCH_IN(stream, choose_kernel, 1, choice_threads, m.logits, vocabulary, first, last, m.end);
  }

 private:
  void launch_layer(cudaStream_t stream, int layer) const {
    const workload::TransformerTensors::Layer& w = weights_.original.layers[static_cast<std::size_t>(layer)];
    const auto& m = memory_;
    const std::size_t cached = static_cast<std::size_t>(layer) * static_cast<std::size_t>(width_ * m.capacity);
    Bf16 *keys = m.keys + cached, *values = m.values + cached;
    launch_norm(stream, w.norm1_gain, w.norm1_bias);
    multiply<1>(stream, w.qkv_weight, 3 * width_, width_, m.normed,
                StoreQkv{m.end, weights_(w.qkv_bias), m.query, keys, values, width_, m.capacity});
    HF_LAUNCH_IN(stream, attend_kernel, width_ / head_width, row_threads, m.end, m.query, keys, values, m.capacity,
                 m.attended);
    multiply<1>(stream, w.out_weight, width_, width_, m.attended, AddTo{weights_(w.out_bias), m.x});
    launch_norm(stream, w.norm2_gain, w.norm2_bias);
    multiply<1>(stream, w.up_weight, 4 * width_, width_, m.normed, StoreGelu{weights_(w.up_bias), m.active});
    multiply<1>(stream, w.down_weight, width_, 4 * width_, m.active, AddTo{weights_(w.down_bias), m.x});
  }

  void launch_norm(cudaStream_t stream, const float* gain, const float* bias) const {
    HF_LAUNCH_IN(stream, layer_norm_kernel, 1, row_threads, memory_.x, weights_(gain), weights_(bias), width_,
                 memory_.normed);
  }

  /// \tparam rows  of a warp: 1 where all rows together make too few warps
  template <int rows, class To>
  void multiply(cudaStream_t stream, const float* weight, int out, int in, const Bf16* x, To to) const {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(weights_(weight));
    const PackedMatrix matrix = {out, in, bytes, nullptr, nullptr};
    constexpr auto kernel = gemv_kernel<Bf16Weights, rows, 1, To>;
    HF_LAUNCH_IN(stream, kernel, gemv_blocks<rows>(out), gemv_threads, matrix, x, to);
  }

  int width_;
  workload::TransformerShape shape_;
  DeviceWeights weights_;
  TokenMemory memory_;
};

}  // namespace hf::gpu
