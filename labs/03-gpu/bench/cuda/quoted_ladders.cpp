// What will the GPU itself do? Ladders measured by others, and our predictions from them.
#include <string>
#include <utility>

#include "03-gpu/bench/cuda/gpu_runs.hpp"
#include "03-gpu/bench/ports.hpp"
#include "03-gpu/bench/steps.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"

namespace hf::gpu {
namespace {

struct QuotedRung {
  const char* label;
  double speed;
};

// N = 4096 on an A6000, in % of cuBLAS (Boehm, 2022, the table at its head).
constexpr QuotedRung sgemm_rungs[] = {{"naive", 1.3},      {"coalesced", 8.5}, {"shared tile", 12.8},
                                      {"1D tile", 36.5},   {"2D tile", 68.7},  {"vectorised", 78.4},
                                      {"autotuned", 84.8}, {"warp tile", 93.7}};

// N = 8192 on an H100, in TFLOP/s (Shankhdhar, 2024, the table in its README).
constexpr QuotedRung bf16_rungs[] = {
    {"tiled, no tensor cores", 32}, {"TMA + WGMMA", 489}, {"producer/consumer", 635}, {"persistent", 658},
    {"raw barriers", 778},          {"clusters", 799},    {"order, TMA store", 808},  {"cuBLAS", 798}};

template <std::size_t count>
void add(Lab& lab, Series series, const QuotedRung (&rungs)[count]) {
  double number = 1;
  for (const QuotedRung& rung : rungs) series.points.emplace_back(number++, rung.speed, rung.label);
  lab.add(std::move(series));
}

void add_quoted_ladders(Lab& lab) {
  const Axis rung = {"rung", "1"};
  add(lab, {"quoted_sgemm_ladder", "fp32, N = 4096, A6000", Kind::quoted, rung, {"of cuBLAS", "%"}, {}, "boehm2022"},
      sgemm_rungs);
  add(lab,
      {"quoted_bf16_ladder", "bf16, N = 8192, H100", Kind::quoted, rung, {"speed", "TFLOP/s"}, {}, "shankhdhar2024"},
      bf16_rungs);
}

void predict_ladders(Lab& lab) {
  lab.modelled("sgemm_over_cublas_predicted_low", 0.93);  // the same as for Boehm's last rung
  lab.modelled("sgemm_over_cublas_predicted_high", 1.03);
  // With that last rung, the warp tile, an H100 reached 0.878 (26 November 2026, N = 4096). If the scheduler's ticks are
  // all that limits it, the next rung is faster as its ticks are fewer, by either model of the register ports.
  constexpr double warp_tile_over_cublas = 0.878;
  const PortCounts before = port_counts("warp_tile"), after = port_counts("register_ports");
  lab.modelled("sgemm_ports_over_cublas_predicted_low", warp_tile_over_cublas * before.ticks / after.ticks);
  lab.modelled("sgemm_ports_over_cublas_predicted_high",
               warp_tile_over_cublas * before.ticks_at_once / after.ticks_at_once);
  // 1024 pairs of tiles on 66 clusters are 15.5 turns, which take as long as 16: so 3% less than a library that wastes
  // nothing, and 3% more than one that also draws 3% more power for the same work.
  lab.modelled("bf16_over_cublas_predicted_low", 0.97);
  lab.modelled("bf16_over_cublas_predicted_high", 1.03);
}

}  // namespace

void predict_gpu(Lab& lab) {
  add_quoted_ladders(lab);
  predict_ladders(lab);
  if (const std::string why = gpu_unavailable(); !why.empty()) lab.note("no GPU was measured: " + why);
}

}  // namespace hf::gpu
