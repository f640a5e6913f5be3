// Every rung of chapter 03's ladders, the last in all its variants, beside cuBLAS and the kernels that it recommends, long
// enough for the power limit to take effect. A check for maintainers, which tools/measure-gpu runs: the lab itself shows
// only the fastest variant.
//
//   race-03-gpu bf16|fp32 [N] [seconds of a sample] [rounds] [data=uniform|normal|zeros] [rest=SECONDS]
//
// The numbers decide how much power a product takes, so they decide its speed where power limits the clock. With a rest
// before each sample, a sample is a burst of 10 calls, which ends before the power limit takes effect.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "03-gpu/bench/cuda/cublas.cuh"
#include "03-gpu/bench/cuda/gpu_runs.hpp"
#include "03-gpu/kernels/cuda/bf16.hpp"
#include "03-gpu/kernels/cuda/bf16_gemm_rungs.cuh"
#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"
#include "harness/measure/statistics.hpp"
#include "harness/report/environment.hpp"
#include "kit/cuda/device.cuh"
#include "kit/cuda/device_state.hpp"
#include "kit/cuda/pci_bus_id.cuh"
#include "kit/cuda/state_log.hpp"
#include "kit/cuda/timing.cuh"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

constexpr int burst_calls = 10;

enum class Data { uniform, normal, zeros };

struct Options {
  bool bf16 = true;
  int n = 8192;
  double seconds = 0.2;  ///< of a sample that is no burst
  int rounds = 7;
  Data data = Data::uniform;
  double rest = 0;  ///< seconds before each sample, which is then a burst; none if zero
};

double value_of(float x) { return x; }
double value_of(Bf16 x) { return to_float(x); }
__device__ void round_to(float& to, float x) { to = x; }
__device__ void round_to(Bf16& to, float x) { to = to_bf16(x); }

/// A number of a matrix. A normal one, of variance 1, is made of two uniform ones, as by Box and Muller.
__device__ float number_at(Data data, std::uint64_t sequence, std::uint64_t i) {
  if (data == Data::zeros) return 0;
  if (data == Data::uniform) return random_number(sequence, i);
  const float share = (1 - random_number(sequence, 2 * i)) / 2;  // in (0, 1]
  return sqrtf(-2 * logf(share)) * cospif(random_number(sequence, 2 * i + 1));
}

template <class Number>
__global__ void fill(Data data, std::uint64_t sequence, Number* to, std::size_t size) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += threads)
    round_to(to[i], number_at(data, sequence, i));
}

template <class Number>
void fill_array(Data data, std::uint64_t sequence, cuda::DeviceArray<Number>& to) {
  fill<<<1024, 256>>>(data, sequence, to.data(), to.size());
  cuda::finish("fill");
}

struct Runner {
  std::string id;
  std::function<void()> run;
  int calls = 1;
  std::vector<double> seconds = {};  ///< per call, in each round
};

/// \param log  notes the device's state meanwhile, if there is one
double run_calls(Runner& runner, cuda::StateLog* log = nullptr) {
  cuda::Event start, end;
  start.record();
  for (int call = 0; call < runner.calls; ++call) runner.run();
  HF_CUDA(cudaGetLastError());
  end.record();
  if (log != nullptr) log->note(runner.id);
  return end.seconds_since(start);
}

template <class Number>
std::vector<Number> product_of(const Runner& runner, cuda::DeviceArray<Number>& c) {
  c.poison();
  runner.run();
  cuda::finish(runner.id.c_str());
  return c.to_host();
}

/// The largest difference from cuBLAS's product, relative to the number or to the unit.
template <class Number>
double worst_difference(const std::vector<Number>& found, const std::vector<Number>& right, double unit) {
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = std::abs(value_of(found[i]) - value_of(right[i])) / (std::abs(value_of(right[i])) + unit);
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

void sample(Runner& runner, const Options& options, cuda::StateLog& log) {
  if (options.rest > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(options.rest));
  else
    run_calls(runner);  // the same time again, so that the clock settles
  runner.seconds.push_back(run_calls(runner, &log) / runner.calls);
}

/// The median of what a contestant's readings report, "–" if that is nothing.
std::string reported(const Runner& runner, const cuda::StateLog& log,
                     std::optional<double> cuda::DeviceState::*quantity) {
  std::vector<double> numbers;
  for (const cuda::StateLog::Readings& each : log.readings()) {
    if (each.id != runner.id) continue;
    for (const cuda::DeviceState& state : each.states) {
      if (state.*quantity) numbers.push_back(*(state.*quantity));
    }
  }
  return numbers.empty() ? "–" : std::to_string(std::lround(estimate(numbers).median));
}

void report(const Runner& runner, const Runner& cublas, double flops, const cuda::StateLog& log) {
  std::vector<double> ratios, seconds = runner.seconds;
  for (std::size_t round = 0; round < seconds.size(); ++round) ratios.push_back(cublas.seconds[round] / seconds[round]);
  std::sort(ratios.begin(), ratios.end());
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  std::printf("%-20s %8.1f TFLOP/s  %6.2f %% of cuBLAS  [%.2f, %.2f]  %s MHz  %s W\n", runner.id.c_str(),
              flops / seconds[middle] * 1e-12, 100 * ratios[middle], 100 * ratios.front(), 100 * ratios.back(),
              reported(runner, log, &cuda::DeviceState::clock_mhz).c_str(),
              reported(runner, log, &cuda::DeviceState::power_w).c_str());
}

/// Compares every product with that of cuBLAS, the first. \return how many are wrong
template <class Number>
int check_products(const std::vector<Runner>& all, cuda::DeviceArray<Number>& c, Data data) {
  const double most = sizeof(Number) == 2 ? 1.6e-2 : 1e-3;
  const double unit = data == Data::normal ? 3 : 1;  // the products of normal numbers are 3 times as large
  const std::vector<Number> right = product_of(all.front(), c);
  int wrong = 0;
  for (const Runner& runner : all) {
    const double worst = worst_difference(product_of(runner, c), right, unit);
    wrong += !(worst < most);
    std::printf("%-20s worst difference from cuBLAS %.2e%s\n", runner.id.c_str(), worst, worst < most ? "" : " WRONG");
  }
  return wrong;
}

/// The first of them is cuBLAS.
void race(std::vector<Runner>& all, double flops, const Options& options) {
  const cuda::DeviceMonitor monitor(cuda::pci_bus_id());
  if (!monitor.unavailable().empty())
    std::printf("the GPU's clock and power are unknown: %s\n", monitor.unavailable().c_str());
  cuda::StateLog log([&] { return monitor.read(); });
  for (Runner& runner : all) {
    if (options.rest > 0)
      runner.calls = burst_calls;
    else
      calibrate(runner, options.seconds);
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i)  // forwards and backwards
      sample(all[round % 2 ? all.size() - 1 - i : i], options, log);
  }
  for (const Runner& runner : all) report(runner, all.front(), flops, log);
}

/// cuBLAS's and the rungs' products of squares. \return how many are wrong
template <class Number, class Rung>
int race_squares(const std::vector<Rung>& rungs, const Options& options) {
  const int n = options.n;
  const GemmShape shape = {n, n, n};
  const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  cuda::DeviceArray<Number> a(size), b(size), c(size);
  fill_array(options.data, 1, a);
  fill_array(options.data, 2, b);
  const Cublas cublas(CUBLAS_DEFAULT_MATH);
  CublasLt<Number> recommended(shape);
  std::vector<Runner> all = {{"cuBLAS", [&] { cublas.multiply(shape, a.data(), b.data(), c.data()); }}};
  for (int i = 0; i < recommended.size(); ++i)
    all.push_back(
        {"cuBLASLt " + std::to_string(i + 1), [&, i] { recommended.multiply(i, a.data(), b.data(), c.data()); }});
  for (const Rung& rung : rungs)
    all.push_back({rung.id, [&, rung] { rung.multiply(shape, a.data(), b.data(), c.data()); }});
  const int wrong = check_products(all, c, options.data);
  race(all, 2.0 * n * n * n, options);
  return wrong;
}

int run(const Options& options) {
  if (const std::string why = gpu_unavailable(); !why.empty()) throw std::runtime_error(why);
  for (const std::string& note : environment_notes()) std::printf("%s\n", note.c_str());  // TF32, for example
  if (!options.bf16) return race_squares<float>(sgemm_rungs(), options);
  std::vector<Bf16Rung> rungs = bf16_rungs();
  for (const Bf16Rung& rung : bf16_persistents()) rungs.push_back(rung);
  return race_squares<Bf16>(rungs, options);
}

// ---- The command line ----

/// \throws std::invalid_argument unless the word is a number of at least `least`, and a multiple of `step` if that is not 0
double number_in(const std::string& word, double least, double step, const char* expected) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  const bool whole = !word.empty() && *end == '\0' && number >= least && number <= 1e6;
  if (!whole || (step > 0 && std::fmod(number, step) != 0))
    throw std::invalid_argument("\"" + word + "\": expected " + expected);
  return number;
}

Data data_in(const std::string& word) {
  if (word == "uniform") return Data::uniform;
  if (word == "normal") return Data::normal;
  if (word == "zeros") return Data::zeros;
  throw std::invalid_argument("data=" + word + ": expected uniform, normal or zeros");
}

Options options_in(const std::vector<std::string>& words) {
  Options options;
  std::size_t place = 0;
  for (const std::string& word : words) {
    if (word.starts_with("data=")) {
      options.data = data_in(word.substr(5));
    } else if (word.starts_with("rest=")) {
      options.rest = number_in(word.substr(5), 1e-3, 0, "seconds of rest, at least 0.001");
    } else if (++place == 1) {
      if (word != "bf16" && word != "fp32") throw std::invalid_argument("\"" + word + "\": expected bf16 or fp32");
      options.bf16 = word == "bf16";
      options.n = options.bf16 ? 8192 : 4096;
    } else if (place == 2) {
      options.n = static_cast<int>(number_in(word, 8, 8, "N, a multiple of 8"));
    } else if (place == 3) {
      options.seconds = number_in(word, 1e-9, 0, "the seconds of a sample, more than 0");
    } else if (place == 4) {
      options.rounds = static_cast<int>(number_in(word, 1, 1, "a number of rounds, at least 1"));
    } else {
      throw std::invalid_argument("\"" + word + "\": expected data=… or rest=…");
    }
  }
  return options;
}

}  // namespace
}  // namespace hf::gpu

int main(int argc, char** argv) {
  try {
    return hf::gpu::run(hf::gpu::options_in({argv + 1, argv + argc}));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr,
                 "race-03-gpu: %s; usage: race-03-gpu bf16|fp32 [N] [seconds of a sample] [rounds] "
                 "[data=uniform|normal|zeros] [rest=SECONDS]\n",
                 error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "race-03-gpu: %s\n", error.what());
  }
  return 2;
}
