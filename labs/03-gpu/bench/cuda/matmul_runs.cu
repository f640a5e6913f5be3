#include "03-gpu/bench/cuda/device_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "03-gpu/bench/cuda/cublas.cuh"
#include "03-gpu/bench/cuda/races.hpp"
#include "03-gpu/check/fp8_reference.hpp"
#include "03-gpu/kernels/cuda/bf16_gemm_rungs.cuh"
#include "03-gpu/kernels/cuda/e4m3.hpp"
#include "03-gpu/kernels/cuda/fp8_gemm.cuh"
#include "03-gpu/kernels/cuda/generation.hpp"
#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"
#include "harness/machine/machine.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/cuda/timing.cuh"
#include "kit/product.hpp"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

/// The side of the square products in bf16 and e4m3.
constexpr int bf16_side = 8192;

// ---- Operands and reference results ----

float random_of(std::uint64_t sequence, std::uint64_t i, float) { return random_number(sequence, i); }
Bf16 random_of(std::uint64_t sequence, std::uint64_t i, Bf16) { return to_bf16(random_number(sequence, i)); }
E4m3 random_of(std::uint64_t sequence, std::uint64_t i, E4m3) { return random_e4m3(sequence, i); }
double value_of(float x) { return double{x}; }
double value_of(Bf16 x) { return double{to_float(x)}; }

/// Random matrices on host and device, and memory for their product on the device. Each row is a random sequence of its
/// own, so that no two tiles are alike.
template <class Number>
struct Operands {
  GemmShape shape;
  std::vector<Number> a, b;
  cuda::DeviceArray<Number> device_a, device_b;
  cuda::DeviceArray<typename CublasLt<Number>::Result> c;

  Operands(GemmShape s, int b_rows, int b_columns)
      : shape(s),
        a(random_rows(s.m, s.k, 1)),
        b(random_rows(b_rows, b_columns, 1 + static_cast<std::uint32_t>(s.m))),
        device_a(a),
        device_b(b),
        c(static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n)) {}

  static std::vector<Number> random_rows(int rows, int columns, std::uint32_t sequence) {
    std::vector<Number> numbers(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    auto to = numbers.begin();
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) *to++ = random_of(sequence + i, j, Number());
    }
    return numbers;
  }
};

Operands<float> fp32_operands(GemmShape shape) { return {shape, shape.k, shape.n}; }
Operands<Bf16> bf16_operands(GemmShape shape) { return {shape, shape.n, shape.k}; }  // b is transposed
Operands<E4m3> fp8_operands(GemmShape shape) { return {shape, shape.n, shape.k}; }

/// Of the products in e4m3.
constexpr float fp8_scale = 0.37f;

/// Returns one number of c, with an error bound, from its row of a and column of b.
template <class Number>
Reference reference(const Operands<Number>& x, int row, int column) {
  constexpr bool transposed = std::is_same_v<Number, Bf16>;
  const int k = x.shape.k, n = x.shape.n;
  std::vector<float> of_a, of_b;
  for (int p = 0; p < k; ++p) {
    const std::size_t at_b = transposed ? std::size_t(column) * k + p : std::size_t(p) * n + column;
    of_a.push_back(static_cast<float>(value_of(x.a[std::size_t(row) * k + p])));
    of_b.push_back(static_cast<float>(value_of(x.b[at_b])));
  }
  Reference sum = reference_dot(of_a.data(), of_b.data(), of_a.size());
  if (transposed) sum.bound += 0x1p-8 * (std::abs(sum.value) + sum.bound);  // rounded to 8 binary digits
  return sum;
}

Reference reference(const Operands<E4m3>& x, int row, int column) {
  const std::size_t k = x.shape.k;
  return fp8_reference(&x.a[row * k], &x.b[column * k], x.shape.k, fp8_tile_k, fp8_scale);
}

/// A way to compute c; it launches its kernels and returns.
template <class Number>
struct Contestant {
  std::string id, label;
  std::function<void(Operands<Number>&)> multiply;
};

/// Poisons c, multiplies, and compares about `most` numbers of it with the reference, including the corners.
/// \throws std::runtime_error with a one-line message, if one is wrong
template <class Number>
void check(const Contestant<Number>& contestant, Operands<Number>& x, std::size_t most) {
  x.c.poison();
  contestant.multiply(x);
  cuda::finish(contestant.label.c_str());
  const auto c = x.c.to_host();
  double worst = 0;
  visit_places(x.shape.m, x.shape.n, most, [&](std::size_t row, std::size_t column) {
    const Reference right = reference(x, static_cast<int>(row), static_cast<int>(column));
    worst = std::max(worst, error_share(static_cast<float>(value_of(c[row * x.shape.n + column])), right));
  });
  if (worst <= 1) return;
  throw std::runtime_error(contestant.label + " is wrong on the GPU: its error is " + number_text(worst) +
                           " times what rounding allows; it was not timed");
}

// ---- Contestants ----

template <class Number, class Rung>
std::vector<Contestant<Number>> contestants(const std::vector<Rung>& rungs) {
  std::vector<Contestant<Number>> all;
  for (const Rung& rung : rungs) {
    all.push_back({rung.id, rung.label, [multiply = rung.multiply](Operands<Number>& x) {
                     multiply(x.shape, x.device_a.data(), x.device_b.data(), x.c.data());
                   }});
  }
  return all;
}

/// With promotion, or without.
template <bool promotes>
Contestant<E4m3> ours_in_fp8() {
  return {"fp8", "FP8", [](Operands<E4m3>& x) {
            fp8_gemm<promotes>(x.shape, x.device_a.data(), x.device_b.data(), fp8_scale, x.c.data());
          }};
}

/// The kernels that cuBLAS recommends for x's product.
template <class Number>
std::vector<Contestant<Number>> recommended_ways(const Operands<Number>& x, float scale = 1) {
  std::vector<Contestant<Number>> all;
  const auto recommended = std::make_shared<CublasLt<Number>>(x.shape);
  for (int i = 0; i < recommended->size(); ++i) {
    const std::string number = std::to_string(i + 1);
    all.push_back({"cublaslt_" + number, "cuBLASLt, kernel " + number, [=](Operands<Number>& operands) {
                     recommended->multiply(i, operands.device_a.data(), operands.device_b.data(), operands.c.data(),
                                           scale);
                   }});
  }
  return all;
}

/// cuBLAS's ways to compute x's product: by default, pedantically in fp32, and with each kernel that it recommends.
template <class Number>
std::vector<Contestant<Number>> libraries(const Operands<Number>& x) {
  const auto own_choice = [](const char* id, const char* label, cublasMath_t mode) {
    return Contestant<Number>{id, label, [cublas = std::make_shared<Cublas>(mode)](Operands<Number>& operands) {
                                cublas->multiply(operands.shape, operands.device_a.data(), operands.device_b.data(),
                                                 operands.c.data());
                              }};
  };
  std::vector<Contestant<Number>> all = {own_choice("cublas", "cuBLAS", CUBLAS_DEFAULT_MATH)};
  if (std::is_same_v<Number, float>)
    all.push_back(own_choice("cublas_pedantic", "cuBLAS, pedantic", CUBLAS_PEDANTIC_MATH));
  for (Contestant<Number>& each : recommended_ways(x)) all.push_back(std::move(each));
  return all;
}

// ---- Timing ----

/// Samples and warm-ups are long, so that the clock has settled to what this contestant's power permits.
constexpr double settled_seconds = 0.2;

template <class Number>
Variant timed(const Contestant<Number>& contestant, Operands<Number>& x) {
  return cuda::timed_on_device(contestant.id, [&contestant, &x] { contestant.multiply(x); });
}

Sampling race(const std::vector<Variant>& variants, const Lab& lab, int rounds, double sample_seconds) {
  Plan plan = lab.plan();
  plan.rounds = rounds;
  plan.minimum_rounds = lab.quick() ? std::min(rounds, 3) : rounds;
  plan.budget_seconds = lab.seconds_left();
  plan.sample_seconds = plan.warm_seconds = lab.quick() ? sample_seconds / 10 : sample_seconds;
  return sample_interleaved(variants, plan);
}

template <class Number>
Sampling race(const std::vector<Contestant<Number>>& contestants, Operands<Number>& x, const Lab& lab, int rounds,
              double sample_seconds = settled_seconds) {
  std::vector<Variant> variants;
  for (const auto& each : contestants) variants.push_back(timed(each, x));
  return race(variants, lab, rounds, sample_seconds);
}

/// Returns the fastest of several ways to compute the same product.
template <class Number>
Contestant<Number> fastest(const std::vector<Contestant<Number>>& contestants, Operands<Number>& x, const Lab& lab,
                           double sample_seconds = settled_seconds) {
  if (contestants.size() == 1) return contestants.front();
  const Sampling sampling = race(contestants, x, lab, 3, sample_seconds);
  return contestants[fastest_of(sampling)];
}

double flops(const GemmShape& shape) { return 2.0 * shape.m * shape.n * shape.k; }

Estimate tflops(const Sampling& sampling, const std::string& id, const GemmShape& shape) {
  return transform(sampling.of(id), [&](double seconds) { return flops(shape) / seconds * 1e-12; });
}

/// Results of a ladder: its rungs in order, and the library.
template <class Number>
struct Ladder {
  std::vector<std::string> labels = {};
  std::vector<Estimate> over_cublas = {}, tflops = {};
  Estimate cublas_tflops, cublas_tflops_below;  ///< beside the last rung alone, and among the others
  Contestant<Number> best, cublas;              ///< the last rung, and the library, in their fastest form
};

template <class Number>
void check_all(const std::vector<Contestant<Number>>& contestants, Operands<Number>& x, std::size_t most, Lab& lab) {
  for (const Contestant<Number>& each : contestants) {
    check(each, x, most);
    lab.tick();
  }
}

/// Checks and times the rungs and cuBLAS. Of `last_rungs` and of cuBLAS's ways only the fastest takes part. The last rung
/// and cuBLAS race alone, so that each is sampled next to the other.
template <class Number>
Ladder<Number> climb(Lab& lab, Operands<Number>& small, Operands<Number>& x, std::vector<Contestant<Number>> rungs,
                     const std::vector<Contestant<Number>>& last_rungs, const char* last_label) {
  for (Operands<Number>* operands : {&small, &x}) {
    const std::size_t most = operands == &small ? small.c.size() : 1000;
    for (const auto& group : {rungs, last_rungs, libraries(*operands)}) check_all(group, *operands, most, lab);
  }
  const Contestant<Number> cublas = fastest(libraries(x), x, lab);
  if (!last_rungs.empty()) rungs.push_back(fastest(last_rungs, x, lab));
  const Contestant<Number> best = rungs.back();
  rungs.back() = cublas;
  const Sampling below = race(rungs, x, lab, 5), last = race<Number>({best, cublas}, x, lab, 15);
  Ladder<Number> ladder = {.cublas_tflops = tflops(last, cublas.id, x.shape),
                           .cublas_tflops_below = tflops(below, cublas.id, x.shape),
                           .best = best,
                           .cublas = cublas};
  const auto add = [&](const std::string& label, const Sampling& sampling, const std::string& id) {
    ladder.labels.push_back(label);
    ladder.over_cublas.push_back(sampling.ratio(cublas.id, id));
    ladder.tflops.push_back(tflops(sampling, id, x.shape));
  };
  for (std::size_t i = 0; i + 1 < rungs.size(); ++i) add(rungs[i].label, below, rungs[i].id);
  add(last_rungs.empty() ? best.label : last_label, last, best.id);
  return ladder;
}

// ---- Results ----

/// Adds the series, and shows the table in the terminal.
template <class Number>
void add_ladder(Lab& lab, const Ladder<Number>& ladder, const std::string& id, const std::string& label) {
  Series series = {id, label, Kind::measured, {"rung", "1"}, {"of cuBLAS", "%"}};
  Table table = {label, {"rung", "TFLOP/s", "% of cuBLAS"}, {}};
  for (std::size_t i = 0; i < ladder.labels.size(); ++i) {
    const Estimate percent = transform(ladder.over_cublas[i], [](double ratio) { return 100 * ratio; });
    series.points.emplace_back(static_cast<double>(i + 1), percent, ladder.labels[i]);
    table.rows.push_back({ladder.labels[i], number_text(ladder.tflops[i].median), number_text(percent.median)});
  }
  table.rows.push_back({"cuBLAS", number_text(ladder.cublas_tflops.median), "100"});
  lab.add(std::move(series));
  lab.show(table);
  lab.note("cuBLAS's fastest kernel for " + label + ": " + ladder.cublas.label);
}

/// The last rung and cuBLAS in all sizes, in the same rounds. cuBLAS may compute each in another way.
void race_sizes(Lab& lab, const Contestant<float>& best, int multiprocessors) {
  const Axis side = {"N", "1"}, speed = {"speed", "TFLOP/s"};
  Series ours = {"sgemm_sizes", best.label, Kind::measured, side, speed};
  Series library = {"cublas_sgemm_sizes", "cuBLAS", Kind::measured, side, speed};
  Table table = {"fp32 in other sizes", {"N", best.label, "cuBLAS", "% of cuBLAS", "% of places filled"}, {}};
  for (const int n : sgemm_sides) {
    Operands<float> x = fp32_operands({n, n, n});
    const std::vector<Contestant<float>> ways = libraries(x);
    check_all({best}, x, 1000, lab);
    check_all(ways, x, 1000, lab);
    const Contestant<float> cublas = fastest(ways, x, lab, settled_seconds / 4);
    const Sampling sampling = race<float>({best, cublas}, x, lab, 5);
    ours.points.emplace_back(n, tflops(sampling, best.id, x.shape));
    library.points.emplace_back(n, tflops(sampling, cublas.id, x.shape));
    table.rows.push_back({std::to_string(n), number_text(ours.points.back().y.median),
                          number_text(library.points.back().y.median),
                          number_text(100 * sampling.ratio(cublas.id, best.id).median),
                          number_text(100 * places_filled(n, WarpTiling::m, WarpTiling::n, multiprocessors))});
  }
  lab.add(std::move(ours));
  lab.add(std::move(library));
  lab.show(table);
}

/// The rungs whose tiles fit into this GPU's shared memory; a note names the others.
std::vector<SgemmRung> fitting_sgemm_rungs(Lab& lab, std::size_t shared_bytes) {
  std::vector<SgemmRung> rungs = sgemm_rungs();
  std::erase_if(rungs, [&](const SgemmRung& rung) {
    if (rung.shared_bytes <= shared_bytes) return false;
    lab.note(std::string(rung.label) + ": not measured, since its tiles take " + capacity_text(rung.shared_bytes) +
             " of shared memory, and this GPU gives a block " + capacity_text(shared_bytes));
    return true;
  });
  return rungs;
}

void measure_sgemm(Lab& lab, const cuda::Device& device) {
  Operands<float> small = fp32_operands({131, 140, 68}), x = fp32_operands({sgemm_side, sgemm_side, sgemm_side});
  const Ladder<float> ladder =
      climb(lab, small, x, contestants<float>(fitting_sgemm_rungs(lab, device.shared_bytes)), {}, "");
  add_ladder(lab, ladder, "sgemm_ladder", "fp32, N = 4096");
  lab.add(Value("sgemm_best_tflops_4096", ladder.tflops.back(), "TFLOP/s"));
  lab.add(Value("cublas_sgemm_tflops_4096", ladder.cublas_tflops, "TFLOP/s"));
  lab.add(Value("cublas_sgemm_tflops_4096_among_rungs", ladder.cublas_tflops_below, "TFLOP/s"));
  if (!lab.quick()) race_sizes(lab, ladder.best, device.multiprocessors);
}

/// Notes whether the code that the device chose has Hopper's instructions.
__global__ void hopper_probe(int* has_them) {
#ifdef HF_HOPPER_CODE
  *has_them = 1;
#else
  *has_them = 0;
#endif
}

/// True if this program has the kernels for Hopper and the device runs them; otherwise adds a note with the reason.
/// \param without  what is measured then
bool has_hopper(Lab& lab, int capability, const std::string& without) {
  int compiled = 0;
  if (capability == 90) {
    cuda::DeviceArray<int> answer(1);
    hopper_probe<<<1, 1>>>(answer.data());
    HF_CUDA(cudaGetLastError());
    compiled = answer.to_host()[0];
  }
  if (compiled == 1) return true;
  lab.note(capability == 90 ? "compiled without sm_90a: " + without + " (set CMAKE_CUDA_ARCHITECTURES=90a)"
                            : "the GPU is not a Hopper: " + without);
  return false;
}

void measure_bf16(Lab& lab, int capability) {
  if (capability < ampere)
    return lab.note("the GPU's tensor cores have no bf16, which needs compute capability 8.0: no product in bf16");
  const bool hopper = has_hopper(lab, capability, "the bf16 ladder ends at mma.sync");
  std::vector<Bf16Rung> rungs = bf16_rungs(), last = bf16_persistents();
  std::erase_if(rungs, [&](const Bf16Rung& rung) { return rung.hopper && !hopper; });
  if (!hopper) last.clear();
  Operands<Bf16> small = bf16_operands({131, 280, 136}), x = bf16_operands({bf16_side, bf16_side, bf16_side});
  const Ladder<Bf16> ladder =
      climb(lab, small, x, contestants<Bf16>(rungs), contestants<Bf16>(last), "persistent, clusters");
  add_ladder(lab, ladder, "bf16_ladder", "bf16, N = 8192");
  // A law limits this to 1.6 times the rate of mma.sync in registers. WGMMA is faster; no published record shows yet by
  // how much.
  lab.add(Value("bf16_best_tflops_8192", ladder.tflops.back(), "TFLOP/s"));
  lab.add(Value("cublas_bf16_tflops_8192", ladder.cublas_tflops, "TFLOP/s"));
  lab.add(Value("cublas_bf16_tflops_8192_among_rungs", ladder.cublas_tflops_below, "TFLOP/s"));
  if (hopper) lab.add(Value("bf16_best_over_cublas_8192", ladder.over_cublas.back(), "1"));
  lab.note("how the last bf16 rung ran: " + ladder.best.label);
}

// ---- FP8 ----

/// The errors of a product, as a percentage of its numbers, both as root mean squares; and the same if sums were exact,
/// and only rounded to bf16.
struct SumErrors {
  double of_product, of_rounding;
};

SumErrors sum_errors(const Contestant<E4m3>& contestant, Operands<E4m3>& x) {
  x.c.poison();
  contestant.multiply(x);
  cuda::finish(contestant.label.c_str());
  const std::vector<Bf16> c = x.c.to_host();
  double squares = 0, of_product = 0, of_rounding = 0;
  visit_places(x.shape.m, x.shape.n, 1000, [&](std::size_t row, std::size_t column) {
    const double exact = reference(x, static_cast<int>(row), static_cast<int>(column)).value;
    const auto square_of = [&](Bf16 result) { return std::pow(value_of(result) - exact, 2); };
    squares += exact * exact;
    of_product += square_of(c[row * x.shape.n + column]);
    of_rounding += square_of(to_bf16(static_cast<float>(exact)));
  });
  return {100 * std::sqrt(of_product / squares), 100 * std::sqrt(of_rounding / squares)};
}

void measure_sum_errors(Lab& lab, Operands<E4m3>& x) {
  const SumErrors promoted = sum_errors(ours_in_fp8<true>(), x), unpromoted = sum_errors(ours_in_fp8<false>(), x);
  const auto add = [&](const char* id, double percent, const char* label) {
    lab.add(Value(id, percent, "%", Kind::measured, label));
  };
  add("fp8_sum_error", promoted.of_product, "error in FP8, sums promoted");
  add("fp8_sum_error_unpromoted", unpromoted.of_product, "error in FP8, sums left in the tensor cores");
  add("fp8_sum_error_rounding", promoted.of_rounding, "error of exact sums, rounded to bf16");
}

void measure_fp8(Lab& lab, int capability) {
  if (!has_hopper(lab, capability, "no product in FP8")) return;
  Operands<E4m3> small = fp8_operands({131, 280, 144}), x = fp8_operands({bf16_side, bf16_side, bf16_side});
  Operands<Bf16> x16 = bf16_operands(x.shape);
  const Contestant<E4m3> ours = ours_in_fp8<true>();
  const std::vector<Contestant<E4m3>> ways = recommended_ways(x, fp8_scale);
  const std::vector<Contestant<Bf16>> persistents = contestants<Bf16>(bf16_persistents());
  check_all({ours}, small, small.c.size(), lab);
  check_all({ours}, x, 1000, lab);
  check_all(ways, x, 1000, lab);
  check_all(persistents, x16, 1000, lab);
  measure_sum_errors(lab, x);
  if (ways.empty()) throw std::runtime_error("cuBLASLt recommends no kernel for a product in e4m3");
  const Contestant<E4m3> cublas = fastest(ways, x, lab);
  const Contestant<Bf16> bf16 = fastest(persistents, x16, lab);
  const Sampling sampling = race({timed(ours, x), timed(cublas, x), timed(bf16, x16)}, lab, 15, settled_seconds);
  lab.add(Value("fp8_tflops_8192", tflops(sampling, ours.id, x.shape), "TFLOP/s", "FP8"));
  lab.add(Value("fp8_over_bf16_8192", sampling.ratio(bf16.id, ours.id), "1", shown_as("our speed in FP8 ÷ in bf16")));
  lab.add(Value("fp8_over_cublas_8192", sampling.ratio(cublas.id, ours.id), "1",
                shown_as("our speed in FP8 ÷ cuBLASLt's")));
}

}  // namespace

std::vector<Step> gpu_matmul_steps(const cuda::Device& device) {
  return {{"GPU: matmul in fp32", [=](Lab& lab) { measure_sgemm(lab, device); }, 15, 100},
          {"GPU: matmul in bf16", [=](Lab& lab) { measure_bf16(lab, device.capability); }, 20, 75},
          {"GPU: matmul in FP8", [=](Lab& lab) { measure_fp8(lab, device.capability); }, 15, 45}};
}

}  // namespace hf::gpu
