// Every kernel compared with a reference on the processor, at small and awkward sizes, with guards around its output.
// Skipped without a device (see has_device.hpp). On a machine with one, also run:
//
//   compute-sanitizer --tool memcheck  --error-exitcode 1 build/tests/labs/03-gpu/cuda/test-03-gpu-device
//   compute-sanitizer --tool racecheck --error-exitcode 1 build/tests/labs/03-gpu/cuda/test-03-gpu-device
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "03-gpu/kernels/cuda/access.cuh"
#include "03-gpu/kernels/cuda/divergence.cuh"
#include "03-gpu/kernels/cuda/in_flight.cuh"
#include "03-gpu/kernels/cuda/latency.cuh"
#include "03-gpu/kernels/cuda/launches.cuh"
#include "03-gpu/kernels/cuda/line_cycle.hpp"
#include "03-gpu/kernels/cuda/streams.cuh"
#include "03-gpu/kernels/cuda/tensor_operands.hpp"
#include "03-gpu/kernels/cuda/tensor_peak.cuh"
#include "03-gpu/kernels/cuda/transpose.cuh"
#include "has_device.hpp"
#include "kit/cuda/graph.cuh"
#include "kit/cuda/timing.cuh"

namespace hf::gpu {
namespace {

/// True if all numbers from an index on still have the poison of DeviceArray.
template <class Number>
bool untouched(const std::vector<Number>& numbers, std::size_t from) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data() + from);
  return std::all_of(bytes, bytes + (numbers.size() - from) * sizeof(Number), [](auto byte) { return byte == 0xff; });
}

TEST_CASE("a warp's words in the banks") {
  CHECK(conflict_ways(0) == 1);
  for (const int odd : {1, 3, 5, 31, 33}) CHECK(conflict_ways(odd) == 1);
  for (const int ways : {2, 4, 8, 16, 32}) CHECK(conflict_ways(ways) == ways);
  CHECK(conflict_ways(6) == 2);
  CHECK(conflict_ways(64) == 32);
  CHECK(bank_word(31, 32, bank_loads - 1) == bank_words - 1);
}

TEST_CASE("which way a thread goes") {
  CHECK(path_of(5, 4, true) == 1);
  CHECK(path_of(5, 4, false) == 0);
  CHECK(path_of(32 * 6 + 5, 4, false) == 2);
  for (int path = 1; path < most_paths; ++path) CHECK(path_step(path, 12345) != path_step(path - 1, 12345));
}

TEST_CASE("every transpose moves each number to its place" * doctest::skip(device_is_missing)) {
  for (const int side : {32, 96, 256}) {
    CAPTURE(side);
    const auto numbers = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    std::vector<float> matrix(numbers);
    for (std::size_t at = 0; at < numbers; ++at) matrix[at] = static_cast<float>(at);
    const cuda::DeviceArray<float> from(matrix);
    cuda::DeviceArray<float> to(numbers + 32);
    const auto tiles = static_cast<unsigned>(side / transpose_tile);
    const dim3 grid(tiles, tiles), block(transpose_tile, transpose_rows);
    for (const auto& kernel :
         {transpose_naive, transpose_by_tiles<transpose_tile>, transpose_by_tiles<padded_row_words>}) {
      to.poison();
      kernel<<<grid, block>>>(side, from.data(), to.data());
      cuda::finish("transpose");
      const std::vector<float> found = to.to_host();
      bool right = true;
      for (std::size_t at = 0; at < numbers; ++at)
        right &= found[at] == matrix[at % static_cast<std::size_t>(side) * static_cast<std::size_t>(side) +
                                     at / static_cast<std::size_t>(side)];
      CHECK(right);
      CHECK(untouched(found, numbers));
    }
  }
}

void check_chase(std::size_t count, long long hops) {
  const std::vector<std::uint32_t> order = random_cycle(count, 3);
  const cuda::DeviceArray<std::uint32_t> next(order);
  cuda::DeviceArray<GpuLine> lines(count);
  cuda::DeviceArray<long long> cycles(2);
  link_lines<<<static_cast<unsigned>(count / 256 + 1), 256>>>(lines.data(), next.data(), static_cast<unsigned>(count));
  cuda::DeviceArray<const GpuLine*> at(std::vector<const GpuLine*>{lines.data()});
  chase_lines<<<1, 1>>>(at.data(), 0, hops, cycles.data());
  chase_lines<<<1, 1>>>(at.data(), 5, hops, cycles.data());
  cuda::finish("chase_lines");
  CHECK(at.to_host().front() == lines.data() + follow(order, 0, 5 + 2 * hops));
  CHECK(cycles.to_host().front() >= hops);
  CHECK(untouched(cycles.to_host(), 1));
}

TEST_CASE("a chase goes on where it ended" * doctest::skip(device_is_missing)) {
  for (const std::size_t lines : {1u, 2u, 33u, 1000u, 4097u}) {
    for (const long long hops : {0, 1, 7, 8, 1000}) {
      CAPTURE(lines);
      CAPTURE(hops);
      check_chase(lines, hops);
    }
  }
}

template <int loads>
void check_front(std::int64_t nodes, unsigned blocks, unsigned warps) {
  const std::int64_t chases = std::int64_t{blocks} * warps * loads;
  const auto threads = static_cast<std::size_t>(blocks * warps * lanes);
  CAPTURE(nodes);
  CAPTURE(chases);
  cuda::DeviceArray<Cell> cells(static_cast<std::size_t>(nodes) * lanes);
  link_front<<<static_cast<unsigned>(nodes * lanes / 256 + 1), 256>>>(cells.data(), nodes, chases);
  std::vector<const Cell*> start(static_cast<std::size_t>(chases) * lanes);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = cells.data() + i;
  cuda::DeviceArray<const Cell*> at(start);
  cuda::DeviceArray<std::uint64_t> sums(threads + 1);
  const int hops = 2 * static_cast<int>(nodes) + 3;
  follow_front<loads><<<blocks, warps * lanes>>>(at.data(), 2, sums.data());
  follow_front<loads><<<blocks, warps * lanes>>>(at.data(), hops, sums.data());
  cuda::finish("follow_front");
  const auto ends = at.to_host();
  const auto found = sums.to_host();
  for (std::size_t thread = 0; thread < threads; ++thread) {
    const int lane = static_cast<int>(thread % lanes);
    std::uint64_t sum = 0;
    for (std::size_t load = 0; load < loads; ++load) {
      const auto chase = static_cast<std::int64_t>(thread / lanes + load * blocks * warps);
      for (int hop = 2; hop < hops + 2; ++hop) sum += cell_number(front_node(chase, hop, chases, nodes), lane);
      const std::int64_t end = front_node(chase, hops + 2, chases, nodes);
      CHECK(ends[thread + load * threads] == cells.data() + end * lanes + lane);
    }
    REQUIRE(found[thread] == sum);
  }
  CHECK(untouched(found, threads));
}

TEST_CASE("a front of chases reads every byte of every node" * doctest::skip(device_is_missing)) {
  check_front<1>(1, 1, 1);
  check_front<1>(37, 3, 2);
  check_front<2>(37, 3, 2);
  check_front<4>(37, 3, 2);
  check_front<4>(64, 1, 16);
}

/// random_number(0, start), random_number(0, start + 1), … in this many tiles.
struct Units : cuda::DeviceArray<float4> {
  Units(std::size_t tiles, std::size_t start) : DeviceArray(tiles * stream_tile) {
    fill_units<<<3, 256>>>(reinterpret_cast<float*>(data()), 4 * size(), start);
    cuda::finish("fill_units");
  }
};

/// The same as plain floats; checks that the numbers after them are unchanged.
std::vector<float> as_floats(const cuda::DeviceArray<float4>& array, std::size_t tiles) {
  const std::vector<float4> host = array.to_host();
  CHECK(untouched(host, tiles * stream_tile));
  const auto* first = reinterpret_cast<const float*>(host.data());
  return std::vector<float>(first, first + 4 * tiles * stream_tile);
}

TEST_CASE("copy" * doctest::skip(device_is_missing)) {
  for (const unsigned tiles : {1u, 2u, 37u}) {
    CAPTURE(tiles);
    const std::size_t floats = std::size_t{tiles} * stream_tile * 4;
    const Units b(tiles, 0);
    cuda::DeviceArray<float4> a((tiles + 1) * stream_tile);
    copy<<<tiles, stream_threads>>>(b.data(), a.data());
    cuda::finish("copy");
    const std::vector<float> copied = as_floats(a, tiles);
    for (std::size_t i = 0; i < floats; ++i) REQUIRE(copied[i] == random_number(0, i));
  }
}

TEST_CASE("words with strides" * doctest::skip(device_is_missing)) {
  const std::size_t most = 7;
  cuda::DeviceArray<std::uint32_t> words(most * stride_tile * 33);
  fill_words<<<5, 256>>>(words.data(), words.size());
  for (const std::size_t stride : {1u, 2u, 3u, 32u, 33u}) {
    for (const std::size_t tiles : {std::size_t{0}, std::size_t{1}, most}) {
      CAPTURE(stride);
      CAPTURE(tiles);
      cuda::DeviceArray<std::uint32_t> sums(3 * stride_threads + 1);
      sum_strided<<<3, stride_threads>>>(words.data(), tiles, stride, sums.data());
      cuda::finish("sum_strided");
      const auto found = sums.to_host();
      std::uint32_t sum = 0, expected = 0;
      for (std::size_t i = 0; i < found.size() - 1; ++i) sum += found[i];
      for (std::size_t i = 0; i < tiles * stride_tile; ++i) expected += input_word(i * stride);
      CHECK(sum == expected);
      CHECK(untouched(found, found.size() - 1));
    }
  }
}

TEST_CASE("loads from the banks of shared memory" * doctest::skip(device_is_missing)) {
  for (const int stride : {1, 2, 31, 32}) {
    cuda::DeviceArray<std::uint32_t> sums(bank_warps * 32 + 1);
    cuda::DeviceArray<long long> cycles(2);
    load_banks<<<1, bank_warps * 32>>>(stride, 3, sums.data(), cycles.data());
    cuda::finish("load_banks");
    const auto found = sums.to_host();
    for (int thread = 0; thread < bank_warps * 32; ++thread) {
      std::uint32_t expected = 0;
      for (int load = 0; load < bank_loads; ++load) expected += input_word(bank_word(thread % 32, stride, load));
      REQUIRE(found[static_cast<std::size_t>(thread)] == 3 * expected);
    }
    CHECK(cycles.to_host().front() > 0);
    CHECK(untouched(found, bank_warps * 32));
    CHECK(untouched(cycles.to_host(), 1));
  }
}

TEST_CASE("every thread goes its own way" * doctest::skip(device_is_missing)) {
  for (const int paths : {1, 2, 5, 32}) {
    for (const bool inside_warp : {true, false}) {
      for (const int steps : {0, 1, 3, 100}) {
        cuda::DeviceArray<std::uint32_t> results(3 * 96 + 1);
        diverge<<<3, 96>>>(paths, inside_warp, steps, results.data());
        cuda::finish("diverge");
        const auto found = results.to_host();
        for (int thread = 0; thread < 3 * 96; ++thread) {
          auto x = static_cast<std::uint32_t>(thread);
          for (int step = 0; step < steps; ++step) x = path_step(path_of(thread, paths, inside_warp), x);
          REQUIRE(found[static_cast<std::size_t>(thread)] == x);
        }
        CHECK(untouched(found, 3 * 96));
      }
    }
  }
}

TEST_CASE("no launch is lost, alone or in a graph" * doctest::skip(device_is_missing)) {
  cuda::Stream stream;
  cuda::DeviceArray<unsigned> counter(std::vector<unsigned>{0});
  launch_ticks(stream, 17, counter.data());
  cuda::Graph graph(stream, [&] { launch_ticks(stream, 5, counter.data()); });
  graph.launch(stream);
  graph.launch(stream);
  stream.wait();
  CHECK(counter.to_host().front() == 27);
}

void check_tensor_peak(int times) {
  const unsigned blocks = 2;
  const cuda::DeviceArray<std::uint32_t> a(TensorOperands::a()), b(TensorOperands::b());
  const std::size_t count = blocks * peak_threads * mma_chains * mma_d_registers;
  cuda::DeviceArray<float> sums(count + 1);
  tensor_peak<<<blocks, peak_threads>>>(a.data(), b.data(), times, sums.data());
  cuda::finish("tensor_peak");
  const std::vector<float> found = sums.to_host();
  for (std::size_t i = 0; i < count; ++i) {
    const int lane = static_cast<int>(i / mma_d_registers % 32), reg = static_cast<int>(i % mma_d_registers);
    REQUIRE(found[i] == static_cast<float>(times * TensorOperands::product_at(place_in_d(lane, reg))));
  }
  CHECK(untouched(found, count));
}

TEST_CASE("tensor cores multiply, exactly" * doctest::skip(device_is_missing)) {
  for (const int times : {0, 1, 2, 9}) check_tensor_peak(times);
}

TEST_CASE("the fp32 peak does all its FMAs" * doctest::skip(device_is_missing)) {
  const std::size_t count = peak_threads * fma_chains;
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = random_number(0, i);
  const cuda::DeviceArray<float> from(numbers);
  for (const int times : {0, 1, 13}) {
    cuda::DeviceArray<float> results(count + 1);
    fma_peak<<<1, peak_threads>>>(from.data(), -0.9f, 0.25f, times, results.data());
    cuda::finish("fma_peak");
    const std::vector<float> found = results.to_host();
    for (std::size_t i = 0; i < count; ++i) {
      double exact = numbers[i];
      for (int time = 0; time < times; ++time) exact = double{-0.9f} * exact + 0.25;
      REQUIRE(std::abs(found[i] - exact) <= times * 0x1p-24 * 1.5);
    }
    CHECK(untouched(found, count));
  }
}

}  // namespace
}  // namespace hf::gpu
