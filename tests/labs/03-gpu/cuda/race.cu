// Every rung of chapter 03's ladders, the last in all its variants, beside cuBLAS and the kernels that it recommends, long
// enough for the power limit to take effect. A check for maintainers, which tools/measure-gpu runs: the lab itself shows
// only the fastest variant.
//
//   race-03-gpu bf16|fp32 [N] [seconds of a sample] [rounds]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/cuda/cublas.cuh"
#include "03-gpu/kernels/cuda/bf16_gemm_rungs.cuh"
#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"
#include "common/cuda/timing.cuh"
#include "common/random.hpp"
#include "harness/report/environment.hpp"

namespace hf::gpu {
namespace {

double value_of(float x) { return x; }
double value_of(Bf16 x) { return to_float(x); }
float rounded(float x, float) { return x; }
Bf16 rounded(float x, Bf16) { return to_bf16(x); }

template <class Number>
std::vector<Number> random_matrix(std::size_t size, std::uint32_t sequence) {
  std::vector<Number> numbers(size);
  for (std::size_t i = 0; i < size; ++i) numbers[i] = rounded(random_number(sequence, i), Number());
  return numbers;
}

struct Runner {
  std::string id;
  std::function<void()> run;
  int calls = 1;
  std::vector<double> seconds = {};  ///< per call, in each round
};

double run_calls(Runner& runner) {
  cuda::Event start, end;
  start.record();
  for (int call = 0; call < runner.calls; ++call) runner.run();
  HF_CUDA(cudaGetLastError());
  end.record();
  return end.seconds_since(start);
}

/// The largest difference from cuBLAS's product, relative to the number or to one.
template <class Number>
double worst_difference(const Runner& runner, cuda::DeviceArray<Number>& c, const std::vector<Number>& right) {
  c.poison();
  runner.run();
  cuda::finish(runner.id.c_str());
  const std::vector<Number> found = c.to_host();
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = std::abs(value_of(found[i]) - value_of(right[i])) / (std::abs(value_of(right[i])) + 1);
    worst = off <= worst ? worst : off;  // NaN remains
  }
  return worst;
}

void calibrate(Runner& runner, double seconds) {
  for (double took = 0; took < seconds;) {
    took = run_calls(runner);
    if (took < seconds) runner.calls = std::max(runner.calls + 1, static_cast<int>(runner.calls * seconds / took));
  }
}

void report(const Runner& runner, const Runner& cublas, double flops) {
  std::vector<double> ratios, seconds = runner.seconds;
  for (std::size_t round = 0; round < seconds.size(); ++round) ratios.push_back(cublas.seconds[round] / seconds[round]);
  std::sort(ratios.begin(), ratios.end());
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  std::printf("%-20s %8.1f TFLOP/s  %6.2f %% of cuBLAS  [%.2f, %.2f]\n", runner.id.c_str(),
              flops / seconds[middle] * 1e-12, 100 * ratios[middle], 100 * ratios.front(), 100 * ratios.back());
}

/// The first of them is cuBLAS. \return the number of wrong products
template <class Number>
int race(std::vector<Runner> all, cuda::DeviceArray<Number>& c, double flops, double seconds, int rounds) {
  const double most = sizeof(Number) == 2 ? 1.6e-2 : 1e-3;
  all.front().run();
  cuda::finish("cuBLAS");
  const std::vector<Number> right = c.to_host();
  int wrong = 0;
  for (Runner& runner : all) {
    const double worst = worst_difference(runner, c, right);
    wrong += !(worst < most);
    std::printf("%-20s worst difference from cuBLAS %.2e%s\n", runner.id.c_str(), worst, worst < most ? "" : " WRONG");
    calibrate(runner, seconds);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {  // forwards and backwards
      Runner& runner = all[round % 2 ? all.size() - 1 - i : i];
      run_calls(runner);  // the same time again, so that the clock settles
      runner.seconds.push_back(run_calls(runner) / runner.calls);
    }
  }
  for (const Runner& runner : all) report(runner, all.front(), flops);
  return wrong;
}

/// cuBLAS's and the rungs' products of random squares.
template <class Number, class Rung>
int race_squares(int n, const std::vector<Rung>& rungs, double seconds, int rounds) {
  const GemmShape shape = {n, n, n};
  const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const cuda::DeviceArray<Number> a(random_matrix<Number>(size, 1)), b(random_matrix<Number>(size, 2));
  cuda::DeviceArray<Number> c(size);
  const Cublas cublas(CUBLAS_DEFAULT_MATH);
  CublasLt<Number> recommended(shape);
  std::vector<Runner> all = {{"cuBLAS", [&] { cublas.multiply(shape, a.data(), b.data(), c.data()); }}};
  for (int i = 0; i < recommended.size(); ++i)
    all.push_back(
        {"cuBLASLt " + std::to_string(i + 1), [&, i] { recommended.multiply(i, a.data(), b.data(), c.data()); }});
  for (const Rung& rung : rungs)
    all.push_back({rung.id, [&, rung] { rung.multiply(shape, a.data(), b.data(), c.data()); }});
  return race(std::move(all), c, 2.0 * n * n * n, seconds, rounds);
}

int run(bool bf16, int n, double seconds, int rounds) {
  if (!bf16) return race_squares<float>(n, sgemm_rungs(), seconds, rounds);
  std::vector<Bf16Rung> rungs = bf16_rungs();
  for (const Bf16Rung& rung : bf16_persistents()) rungs.push_back(rung);
  return race_squares<Bf16>(n, rungs, seconds, rounds);
}

}  // namespace
}  // namespace hf::gpu

int main(int argc, char** argv) {
  const bool bf16 = argc < 2 || std::strcmp(argv[1], "bf16") == 0;
  const int n = argc > 2 ? std::atoi(argv[2]) : bf16 ? 8192 : 4096;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0.2;
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 7;
  if (n < 8 || n % 8 != 0 || !(seconds > 0) || rounds < 1) {
    std::fprintf(stderr, "usage: race-03-gpu bf16|fp32 [N, a multiple of 8] [seconds of a sample] [rounds]\n");
    return 2;
  }
  for (const std::string& note : hf::environment_notes()) std::printf("%s\n", note.c_str());  // TF32, for example
  try {
    return hf::gpu::run(bf16, n, seconds, rounds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "race-03-gpu: %s\n", error.what());
    return 2;
  }
}
