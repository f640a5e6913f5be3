// Tries a reader's kernel on the emulated GPU: is the transposition right, and what does it ask of memory? Then times it, if
// there is a GPU.
#include "yours/trial.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/warp_rules_observed.hpp"
#include "03-gpu/yours/timed.hpp"
#include "kit/random.hpp"
#include "yours/sizes.hpp"

namespace hf::gpu {
namespace {

using emulator::Counts;
using emulator::GlobalArray;
using yours::Wrong;

/// The reader's launch.
using Transposition = void(int rows, int columns, const float* from, float* to);

struct Shape {
  int rows, columns;

  std::size_t numbers() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  std::string text() const { return std::to_string(rows) + " × " + std::to_string(columns); }
};

/// Ends the process if a thread never ends: the emulator keeps a list of its accesses and branches, which grows.
void limit_memory() {
  constexpr rlim_t more = 512 << 20;
  const GlobalArray<float> reserves_what_the_emulator_needs(1);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
  const rlimit limit = {most, most};
  setrlimit(RLIMIT_AS, &limit);
  std::set_terminate([] {
    try {
      if (const std::exception_ptr why = std::current_exception()) std::rethrow_exception(why);
    } catch (const std::bad_alloc&) {
      std::puts("does not end: the list of a thread's accesses and branches fills the memory");
      std::fflush(stdout);
      _exit(1);
    } catch (...) {  // as without this function
    }
    std::abort();
  });
}

/// A matrix in the emulated GPU's memory, and room for its transpose.
class Matrices {
 public:
  Matrices(const Shape& shape, std::uint64_t seed)
      : shape_(shape), from_(random_numbers(shape, seed)), on_gpu_from_(from_), on_gpu_to_(from_.size()) {
    std::fill_n(on_gpu_to_.data(), from_.size(), std::numeric_limits<float>::quiet_NaN());
  }

  /// Runs the kernel and checks all that it did. \throws Wrong
  Counts transpose(Transposition* kernel) const {
    emulator::take_counts();
    try {
      kernel(shape_.rows, shape_.columns, on_gpu_from_.data(), on_gpu_to_.data());
    } catch (const emulator::KernelFault& fault) {
      throw Wrong(fault.what());
    }
    const Counts counts = emulator::take_counts();
    check_result("");
    std::this_thread::sleep_for(std::chrono::milliseconds(4));  // a thread that was left behind gets time to write
    check_result(" after the kernel has returned");
    check_seen(counts);
    return counts;
  }

  const float* from() const { return on_gpu_from_.data(); }
  float* to() const { return on_gpu_to_.data(); }

 private:
  static std::vector<float> random_numbers(const Shape& shape, std::uint64_t seed) {
    std::vector<float> numbers(shape.numbers());
    fill_random(numbers, seed);
    return numbers;
  }

  void check_result(const std::string& when) const {
    if (on_gpu_from_.to_host() != from_) throw Wrong("writes to from, which is an input" + when);
    const auto rows = static_cast<std::size_t>(shape_.rows), columns = static_cast<std::size_t>(shape_.columns);
    const std::vector<float> to = on_gpu_to_.to_host();
    for (std::size_t at = 0; at < to.size(); ++at) {
      const float expected = from_[at % rows * columns + at / rows];
      if (to[at] == expected) continue;
      const std::string element = "to[" + std::to_string(at / rows) + "][" + std::to_string(at % rows) + "]";
      yours::refuse(element + when, to[at], expected, shape_.text());
    }
  }

  /// Code without instrumentation could move numbers that are not counted.
  void check_seen(const Counts& counts) const {
    const std::uint64_t bytes = shape_.numbers() * sizeof(float);
    const std::uint64_t fewest = std::min(counts.global_loads.sectors, counts.global_stores.sectors);
    if (fewest * emulator::sector_bytes < bytes)
      throw Wrong("moves numbers that the emulator doesn't see: load and store them in the kernel itself");
  }

  Shape shape_;
  std::vector<float> from_;
  GlobalArray<float> on_gpu_from_, on_gpu_to_;
};

/// Sizes around those at which tiles and sectors end, all pairs of them, more rows or columns than most tiles have, then random ones.
std::vector<Shape> shapes_to_check() {
  std::vector<Shape> shapes = {{1, 1},   {1, 40},  {40, 1},  {4, 4},   {8, 12},  {16, 16}, {31, 31},
                               {32, 32}, {33, 33}, {31, 65}, {64, 32}, {36, 68}, {96, 128}};
  const std::vector<std::size_t> sizes = yours::sizes_around({4, emulator::warp_threads});
  const auto add = [&](std::size_t rows, std::size_t columns) {
    shapes.push_back({static_cast<int>(rows), static_cast<int>(columns)});
  };
  for (const std::size_t rows : sizes) {
    for (const std::size_t columns : sizes) add(rows, columns);
  }
  add(257, 33);
  add(33, 257);
  yours::RandomSizes random;
  for (int i = 0; i < 12; ++i) add(random.next(130), random.next(130));
  return shapes;
}

void check(void* kernel) {
  limit_memory();
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes_to_check()) {
    yours::trying(shape.text());
    for (int time = 0; time < 2; ++time)  // a kernel that remembers its first result is wrong the second time
      Matrices(shape, seed++).transpose(reinterpret_cast<Transposition*>(kernel));
  }
}

constexpr Shape counted_shape = {256, 256};

/// The memory requests of the chapter's version with this id.
Counts counts_of(const std::string& id) {
  const std::vector<emulator::ObservedTranspose> all = emulator::observed_transposes();
  const auto version = std::ranges::find_if(all, [&](const auto& each) { return each.id == id; });
  const Matrices matrices(counted_shape, 1);
  emulator::take_counts();
  version->run(counted_shape.rows, matrices.from(), matrices.to());
  return emulator::take_counts();
}

std::vector<yours::Count> count(void* kernel) {
  const Counts naive = counts_of("naive"), padded = counts_of("padded_tile");
  limit_memory();
  yours::trying(counted_shape.text());
  const Counts counted = Matrices(counted_shape, 2).transpose(reinterpret_cast<Transposition*>(kernel));
  const auto row = [&](const std::string& what, auto of) {
    const double warps = static_cast<double>(counted_shape.numbers()) / emulator::warp_threads;
    const auto each = [&](const Counts& counts) { return static_cast<double>(of(counts)) / warps; };
    return yours::Count{what, each(counted), {{"naive", each(naive)}, {"padded tile", each(padded)}}};
  };
  return {row("sectors for each 32 numbers, loaded and stored",
              [](const Counts& of) { return of.global_loads.sectors + of.global_stores.sectors; }),
          row("wavefronts of shared memory for each 32 numbers",
              [](const Counts& of) { return of.shared_loads.wavefronts + of.shared_stores.wavefronts; }),
          row("requests to global memory for each 32 numbers",
              [](const Counts& of) { return of.global_loads.requests + of.global_stores.requests; }),
          row("diverging branches for each 32 numbers", [](const Counts& of) { return of.diverging_branches; })};
}

}  // namespace
}  // namespace hf::gpu

int main(int argc, char** argv) {
  return hf::yours::run_trial({.id = "03-gpu",
                               .function = "launch_transpose",
                               .check = hf::gpu::check,
                               .count = hf::gpu::count,
#ifdef HF_CUDA_BUILD
                               .race = hf::gpu::race_on_gpu,
#else
                               .race = {},  // tools/yours asks for no race
#endif
                               .unit = "GB/s"},
                              argc, argv);
}
