// The fp32 ladder on the emulator: its results are right, and its requests match a profiler's counts on a GPU.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/sgemm_observed.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "suite.hpp"

namespace hf::emulator {
namespace {

const ObservedRung& rung(const std::string& id) {
  static const std::vector<ObservedRung> rungs = observed_sgemm_rungs();
  for (const ObservedRung& each : rungs) {
    if (each.id == id) return each;
  }
  FAIL("no rung is called ", id);
  return rungs.front();
}

Counts count(const ObservedRung& rung, int m, int n, int k) {
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n),
             depth = static_cast<std::size_t>(k);
  std::vector<float> a = random_floats(rows * depth, 1), b = random_floats(depth * columns, 2);
  const GlobalArray<float> on_gpu_a(a), on_gpu_b(b), on_gpu_c(rows * columns);
  take_counts();
  rung.multiply(m, n, k, on_gpu_a.data(), on_gpu_b.data(), on_gpu_c.data());
  const std::vector<float> c = on_gpu_c.to_host();
  CHECK(worst_product_error(rows, columns, depth, a.data(), b.data(), c.data(), rows * columns) <= 1);
  return take_counts();
}

/// Whole numbers: every sum is exact in any order, so one product missing or counted twice shows up.
std::size_t wrong_sums(const ObservedRung& rung, int m, int n, int k) {
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n),
             depth = static_cast<std::size_t>(k);
  std::vector<float> a = random_floats(rows * depth, 1), b = random_floats(depth * columns, 2);
  for (std::vector<float>* numbers : {&a, &b})
    for (float& x : *numbers) x = std::round(4 * x);
  const GlobalArray<float> on_gpu_a(a), on_gpu_b(b), on_gpu_c(rows * columns);
  rung.multiply(m, n, k, on_gpu_a.data(), on_gpu_b.data(), on_gpu_c.data());
  const std::vector<float> c = on_gpu_c.to_host();
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < c.size(); ++at)
    wrong += double{c[at]} != reference_product(a.data(), b.data(), columns, depth, at / columns, at % columns).value;
  return wrong;
}

TEST_CASE("every rung is right, and has no fault, whatever sticks out") {
  for (const ObservedRung& each : observed_sgemm_rungs()) {
    CAPTURE(each.label);
    for (const auto& [m, n, k] : {std::array{1, 4, 4}, {128, 128, 32}, {129, 260, 36}, {130, 264, 68}}) {
      count(each, m, n, k);
      CHECK(wrong_sums(each, m, n, k) == 0);
    }
    if (each.multiple > 1) continue;
    for (const auto& [m, n, k] : {std::array{1, 1, 1}, {33, 7, 40}, {31, 65, 33}}) {
      count(each, m, n, k);
      CHECK(wrong_sums(each, m, n, k) == 0);
    }
  }
}

TEST_CASE("the last two rungs are right in any size") {
  CAPTURE(seed());
  std::mt19937 random(seed());
  const auto up_to = [&](int most) { return std::uniform_int_distribution(1, most)(random); };
  for (int i = 0; i < (weekly() ? 100 : 5); ++i) {
    const int m = up_to(300), n = 4 * up_to(140), k = 4 * up_to(20);
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    for (const char* id : {"warp_tile", "register_ports"}) {
      CAPTURE(id);
      count(rung(id), m, n, k);
      CHECK(wrong_sums(rung(id), m, n, k) == 0);
    }
  }
}

TEST_CASE("rungs have names of their own") {
  std::set<std::string> ids;
  for (const ObservedRung& each : observed_sgemm_rungs()) ids.insert(each.id);
  CHECK(ids.size() == observed_sgemm_rungs().size());
}

// Nsight Compute on an H100, N = 2048, for each FMA of a warp: l1tex__t_requests and _sectors of global loads, and
// l1tex__data_pipe_lsu_wavefronts_mem_shared. (What cp.async stores is not among the last.)
TEST_CASE("a profiler's counts") {
  struct Profiled {
    const char* id;
    double requests, sectors, wavefronts;
  };
  constexpr int side = 128;
  constexpr double fmas = side * side * (side / 32.0);
  for (const Profiled& profiled : {Profiled{"naive", 2.0, 33.0, 0},
                                   {"coalesced", 2.0, 5.0, 0},
                                   {"shared_tile", 0, 0.25, 1.58},
                                   {"register_tile", 0, 0.0625, 0.386},
                                   {"vectorised", 0, 0.0625, 0.214}}) {
    CAPTURE(profiled.id);
    const Counts counts = count(rung(profiled.id), side, side, side);
    const auto per_fma = [](std::uint64_t number) { return static_cast<double>(number) / fmas; };
    if (profiled.requests > 0) CHECK(per_fma(counts.global_loads.requests) == profiled.requests);
    CHECK(per_fma(counts.global_loads.sectors) == profiled.sectors);
    CHECK(per_fma(counts.shared_loads.wavefronts + counts.shared_stores.wavefronts) ==
          doctest::Approx(profiled.wavefronts).epsilon(0.02));
  }
  const Counts wide = count(rung("warp_tile"), side, 2 * side, side);
  CHECK(static_cast<double>(wide.global_loads.sectors) / (2 * fmas) == doctest::Approx(0.049).epsilon(0.05));
  CHECK(static_cast<double>(wide.shared_loads.wavefronts) / (2 * fmas) == doctest::Approx(0.0956).epsilon(0.03));
}

TEST_CASE("the last rung copies whole sectors into different banks, and loads what the warp tile loads") {
  constexpr int m = 128, n = 256, k = 128;
  const Counts counts = count(rung("register_ports"), m, n, k), before = count(rung("warp_tile"), m, n, k);
  CHECK(counts.global_loads.sectors == (m + n) * k * sizeof(float) / sector_bytes);
  CHECK(counts.shared_stores.wavefronts == (m + n) * k * sizeof(float) / line_bytes);  // 32 banks of 4 bytes each
  CHECK(counts.shared_loads.wavefronts == before.shared_loads.wavefronts);
  CHECK(counts.barriers == before.barriers);
}

}  // namespace
}  // namespace hf::emulator
