// Blocks of the same area as that of choose_blocking(), but of other shapes: modelled and timed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/steps.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/gemm/gemm.hpp"

namespace hf::matmul {
namespace {

const Axis depth_axis = {"depth of the block", "1"};

std::size_t parts_of(std::size_t whole, std::size_t most) { return (whole + most - 1) / most; }

Contestant with_blocking(const Blocking& blocking, std::size_t n) {
  const auto multiply = [blocking](std::size_t m, std::size_t columns, std::size_t k, const float* a, const float* b,
                                   float* c) { gemm(m, columns, k, a, b, c, 1, blocking); };
  return {"depth " + std::to_string(blocking.depth), "gemm", multiply, n};
}

/// Returns the bytes that cross the edge of the level-2 cache, by the model of choose_blocking().
double bytes_per_1000_flops(double depth, double width) { return 4000 * (1 / depth + 0.5 / width); }

}  // namespace

std::vector<Blocking> blocks_to_try(std::size_t n, const Blocking& chosen) {
  const std::size_t area = chosen.depth * chosen.width;
  std::vector<Blocking> blocks;
  for (std::size_t parts : {1, 2, 3, 4, 6, 8, 16, 32, 64, 128}) {
    const std::size_t depth = parts_of(n, parts);
    const std::size_t width = area / depth / register_tile.columns * register_tile.columns;
    if (width >= register_tile.columns) blocks.push_back({depth, width});
  }
  blocks.push_back({parts_of(n, parts_of(n, chosen.depth)), chosen.width});  // the block that gemm() uses
  std::ranges::sort(blocks, {}, &Blocking::depth);
  const auto same = [](const Blocking& a, const Blocking& b) { return a.depth == b.depth; };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), same), blocks.end());
  return blocks;
}

Estimate over_best(const Sampling& sampling, const std::vector<std::string>& ids, std::size_t one) {
  std::vector<Estimate> ratios;
  for (const std::string& id : ids) ratios.push_back(sampling.ratio(ids[one], id));
  return *std::ranges::max_element(ratios, {}, &Estimate::median);
}

void measure_blocks(Lab& lab) {
  const std::size_t n = is_slow(lab) ? 250 : lab.quick() ? 1000 : 2000;
  const Blocking chosen = default_blocking();
  const std::vector<Blocking> blocks = blocks_to_try(n, chosen);
  const SquareMatrices matrices(n);
  std::vector<Variant> variants;
  std::vector<std::string> ids;
  for (const Blocking& blocking : blocks) {
    const Contestant contestant = with_blocking(blocking, n);
    matrices.check(contestant, n);
    ids.push_back(contestant.id);
    variants.push_back(timed(contestant.id, [&matrices, contestant, n] { matrices.multiply(contestant, n); }));
  }
  const PeakVariant peak = openmp_peak(1);
  variants.push_back(peak.variant);
  const Sampling sampling = lab.in_one_state(sample_interleaved(variants, patient_plan(lab)), {peak.variant.id});

  const double flops = 2 * std::pow(static_cast<double>(n), 3);
  Series speed = {"block_depth", "measured", Kind::measured, depth_axis, {"speed", "GFLOP/s"}};
  Series traffic = {"block_traffic", "modelled", Kind::modelled, depth_axis, {"bytes per 1000 FLOPs", "B"}};
  std::size_t model = 0;  // the block that gemm() uses for default_blocking()
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto depth = static_cast<double>(blocks[i].depth), width = static_cast<double>(blocks[i].width);
    speed.points.emplace_back(depth, rate(flops, sampling.seconds[i]));
    traffic.points.emplace_back(depth, bytes_per_1000_flops(depth, width));
    if (blocks[i].depth <= chosen.depth) model = i;
  }
  lab.add(std::move(speed));
  lab.add(std::move(traffic));
  lab.modelled("block_depth_chosen", static_cast<double>(blocks[model].depth));
  lab.modelled("block_width_chosen", static_cast<double>(blocks[model].width));
  lab.add(Value("chosen_over_best_block_time", over_best(sampling, ids, model), "1"));
  lab.add(Value("peak_during_blocks_gflops", peak.gflops(sampling.of(peak.variant.id)), "GFLOP/s",
                "fp32 peak, 1 thread, in the same rounds"));
}

}  // namespace hf::matmul
