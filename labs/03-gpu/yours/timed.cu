#include "03-gpu/yours/timed.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "03-gpu/kernels/cuda/streams.cuh"
#include "03-gpu/kernels/cuda/transpose.cuh"
#include "kit/cuda/timing.cuh"
#include "yours/race.hpp"

namespace hf::gpu {
namespace {

using Transposition = void(int rows, int columns, const float* from, float* to);

/// A number between 1 and 2.
__device__ inline float number_at(std::size_t i, unsigned seed) {
  const unsigned mixed = (static_cast<unsigned>(i) ^ seed) * 2654435761u;
  return __uint_as_float(0x3f800000u | mixed >> 9);
}

__global__ void fill(float* numbers, std::size_t count, unsigned seed) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] = number_at(i, seed);
}

/// Counts the elements of `to` that differ from those of the filled matrix, or from those of its transpose.
__global__ void count_wrong(const float* to, int side, unsigned seed, bool transposed, unsigned* wrong) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const std::size_t expected = transposed ? std::size_t(x) * side + y : std::size_t(y) * side + x;
  if (to[std::size_t(y) * side + x] != number_at(expected, seed)) atomicAdd(wrong, 1u);
}

/// A square matrix of numbers, and room for its transpose.
class Matrices {
 public:
  /// \pre side is a multiple of 256
  explicit Matrices(int side) : side_(side), from_(numbers()), to_(numbers()), wrong_(1) {}

  void renew() {
    fill<<<static_cast<unsigned>(numbers() / threads), threads>>>(from_.data(), numbers(), ++seed_);
    cuda::finish("fill");
    to_.poison();
  }

  /// \throws yours::Wrong
  void check(const std::string& id, bool transposed) {
    HF_CUDA(cudaMemset(wrong_.data(), 0, sizeof(unsigned)));
    const dim3 grid(side_ / threads, side_);
    count_wrong<<<grid, threads>>>(to_.data(), side_, seed_, transposed, wrong_.data());
    cuda::finish("count_wrong");
    if (const unsigned wrong = wrong_.to_host().front(); wrong > 0)
      throw yours::Wrong(std::to_string(wrong) + " numbers of \"" + id + "\" are wrong in the race");
  }

  std::size_t numbers() const { return static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_); }
  const float* from() { return from_.data(); }
  float* to() { return to_.data(); }

 private:
  static constexpr int threads = 256;
  int side_;
  unsigned seed_ = 0;
  cuda::DeviceArray<float> from_, to_;
  cuda::DeviceArray<unsigned> wrong_;
};

/// Times each call alone, between two events, on numbers that it has never seen.
template <class Code>
Variant timed(std::string id, Matrices& on, bool transposes, Code code) {
  return {id, [id, &on, transposes, code](std::int64_t calls) {
            yours::still_trying();
            double seconds = 0;
            for (std::int64_t call = 0; call < calls; ++call) {
              on.renew();
              cuda::Event start, end;
              start.record();
              code();
              end.record();
              HF_CUDA(cudaGetLastError());
              seconds += end.seconds_since(start);
              on.check(id, transposes);
            }
            return seconds;
          }};
}

void copy_all(Matrices& on) {
  const auto tiles = static_cast<unsigned>(on.numbers() / 4 / stream_tile);
  copy<<<tiles, stream_threads>>>(reinterpret_cast<const float4*>(on.from()), reinterpret_cast<float4*>(on.to()));
}

yours::Heat heat(Transposition* launch, int side, int rounds) {
  Matrices on(side);
  const dim3 tiles(side / transpose_tile, side / transpose_tile), block(transpose_tile, transpose_rows);
  const double bytes = 2 * sizeof(float) * static_cast<double>(on.numbers());
  const std::vector<yours::Runner> runners = {
      {timed("yours", on, true, [&] { launch(side, side, on.from(), on.to()); }), "yours", bytes},
      {timed("naive", on, true, [&] { transpose_naive<<<tiles, block>>>(side, on.from(), on.to()); }), "naive", bytes},
      {timed("padded_tile", on, true,
             [&] { transpose_by_tiles<padded_row_words><<<tiles, block>>>(side, on.from(), on.to()); }),
       "padded tile", bytes},
      {timed("copy", on, false, [&] { copy_all(on); }), "a copy", bytes}};
  const std::string text = std::to_string(side);
  return yours::race(text + " × " + text, side, runners, "copy", rounds);
}

}  // namespace

std::vector<yours::Heat> race_on_gpu(void* launch, bool quick) {
  std::vector<yours::Heat> heats;
  for (const int side : quick ? std::vector<int>{1024} : std::vector<int>{2048, 4096, 8192}) {
    yours::trying(std::to_string(side) + " × " + std::to_string(side));
    heats.push_back(heat(reinterpret_cast<Transposition*>(launch), side, quick ? 3 : 11));
  }
  return heats;
}

}  // namespace hf::gpu
