// At one ordinary N, in the same rounds: how fast each rung is, and what makes the definition slow. From the definition
// to the fastest product, the variants change one thing at a time, so that the factors multiply to the whole.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/steps.hpp"
#include "02-matmul/kernels/dot_products.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/vector.hpp"
#include "harness/report/lab.hpp"

namespace hf::matmul {

RelaidMatrix::RelaidMatrix(const SquareMatrices& matrices, std::size_t down, std::size_t across)
    : memory_((matrices.n() - 1) * (down + across) * sizeof(float) + sizeof(float), Pages::huge),
      stored_{memory_.as<float>().data(), down, across} {
  const std::size_t n = matrices.n();
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t j = 0; j < n; ++j) memory_.as<float>()[p * down + j * across] = matrices.b()[p * n + j];
  }
}

Contestant RelaidMatrix::multiplied_by(const char* id, DotProducts* multiply) const {
  const auto product = [multiply, b = stored_](std::size_t m, std::size_t n, std::size_t k, const float* a,
                                               const float* /*as it was*/, float* c) { multiply(m, n, k, a, b, c); };
  return {id, id, product, 4};
}

Series anatomy_series(const std::string& id, const std::vector<Contestant>& contestants, const LadderStep& step) {
  Series series = {id, "speed", Kind::measured, {"rung", "1"}, {"share of peak", "%"}};
  for (const Contestant& each : contestants) {
    const Estimate share = times(step.gain(each.id, each.id == "best_all" ? peak_all_id : peak_id), 100);
    series.points.emplace_back(static_cast<double>(series.points.size() + 1), share, each.label);
  }
  return series;
}

Series causes_series(const std::string& id, const LadderStep& step) {
  struct Cause {
    const char *name, *with, *without;
  };
  constexpr Cause causes[] = {{"set conflicts", "colliding", "naive"},     {"stride", "naive", "transposed"},
                              {"serial sum", "transposed", "eight_sums"},  {"no SIMD", "eight_sums", "eight_vectors"},
                              {"no tile", "eight_vectors", "vector_tile"}, {"no blocks", "vector_tile", "best"}};
  Series series = {id, "speed-up without it", Kind::measured, {"cause", "1"}, {"factor", "1"}};
  for (const auto& [name, with, without] : causes) {
    series.points.emplace_back(static_cast<double>(series.points.size() + 1), step.gain(without, with), name);
  }
  return series;
}

/// Adds the time of one multiplication and addition with the walk down a column and the single sum, with either, and with
/// neither; and what avoiding the walk gains with the single sum, and without it.
void add_column_and_sum(Lab& lab, const LadderStep& step) {
  constexpr std::pair<const char*, const char*> loops[] = {{"naive", "one sum, b by rows"},
                                                           {"transposed", "one sum, b by columns"},
                                                           {"eight_down", "eight sums, b by rows"},
                                                           {"eight_sums", "eight sums, b by columns"}};
  Series series = {"column_and_sum", "one multiplication", Kind::measured, {"loops", "1"}, {"time", "ns"}};
  for (const auto& [id, label] : loops) {
    const Estimate ns = transform(step.gflops.at(id), [](double gflops) { return 2 / gflops; });
    series.points.emplace_back(static_cast<double>(series.points.size() + 1), ns, label);
  }
  lab.add(std::move(series));
  const Estimate one = step.gain("transposed", "naive"), eight = step.gain("eight_sums", "eight_down");
  lab.add(Value("column_gain_one_sum", one, "1"));
  lab.add(Value("column_gain_eight_sums", eight, "1"));
  lab.add(Value("column_hidden_by_sum", ratio(eight.samples, one.samples), "1"));
}

/// Times two rungs at an ordinary N, where every row is whole cache lines, and where half a vector's shift makes vectors
/// straddle two lines.
void time_split_lines(Lab& lab) {
  constexpr std::size_t line = 64 / sizeof(float);
  const std::size_t ordinary = anatomy_size(lab), n = (ordinary + line - 1) / line * line;
  const SquareMatrices matrices[] = {SquareMatrices(ordinary), SquareMatrices(n), SquareMatrices(n, lanes / 2)};
  const std::size_t rows = std::min<std::size_t>(ordinary, 240);  // enough to reuse a block
  const char* const names[] = {"ordinary ", "whole ", "split "};
  std::vector<Contestant> rungs = contestants(1);
  std::erase_if(rungs, [](const Contestant& each) { return each.id != "loop_order" && each.id != "blocked"; });
  std::vector<Variant> variants;
  for (const Contestant& rung : rungs) {
    for (std::size_t i = 0; i < std::size(names); ++i) {
      const auto run = [&rung, &on = matrices[i], rows] { on.multiply(rung, rows); };
      matrices[i].check(rung, rows);
      variants.push_back(timed(names[i] + rung.id, run));
    }
  }
  const Sampling sampling = sample_interleaved(variants, patient_plan(lab, 4));
  lab.modelled("whole_lines_n", static_cast<double>(n));
  lab.add(Value("blocking_gain_part_lines", sampling.ratio("ordinary loop_order", "ordinary blocked"), "1"));
  lab.add(Value("blocking_gain_whole_lines", sampling.ratio("whole loop_order", "whole blocked"), "1"));
  lab.add(Value("loop_order_slowed_by_split_lines", sampling.ratio("split loop_order", "whole loop_order"), "1"));
  lab.add(Value("blocking_slowed_by_split_lines", sampling.ratio("split blocked", "whole blocked"), "1"));
}

void take_apart(Lab& lab) {
  const SquareMatrices matrices(anatomy_size(lab));
  const std::size_t n = matrices.n();
  const RelaidMatrix far(matrices, std::bit_ceil(n), 1), as_it_is(matrices, n, 1), turned(matrices, 1, n);
  const std::vector<Contestant> rungs = contestants(lab.machine().cores);
  const Contestant variants[] = {far.multiplied_by("colliding", one_sum),
                                 as_it_is.multiplied_by("eight_down", eight_sums),
                                 turned.multiplied_by("transposed", one_sum),
                                 turned.multiplied_by("eight_sums", eight_sums),
                                 turned.multiplied_by("eight_vectors", eight_vector_sums),
                                 turned.multiplied_by("vector_tile", vector_tile)};
  std::vector<Entry> entries;
  const auto enter = [&](const Contestant& each) { entries.push_back({&each, std::min(n, 4 * each.least_rows)}); };
  std::ranges::for_each(rungs, enter);
  std::ranges::for_each(variants, enter);
  Plan plan = patient_plan(lab);
  if (!lab.quick()) plan.minimum_rounds = 15;
  plan.sample_seconds = 8e-3;  // several calls of a fast variant, since b is in no cache at the first
  OneState state;
  const LadderStep step = time_together(matrices, entries, lab.machine().cores, plan, state);
  state.note(lab, "the anatomy");

  lab.add(anatomy_series("rungs", rungs, step));
  const std::pair<const char*, std::pair<const char*, const char*>> gains[] = {
      {"loop_order_gain", {"loop_order", "naive"}},
      {"blocking_gain", {"blocked", "loop_order"}},
      {"register_tile_gain", {"register_tile", "blocked"}},
      {"packing_gain", {"packed", "register_tile"}},
      {"best_over_naive", {"best", "naive"}}};
  for (const auto& [id, pair] : gains) lab.add(Value(id, step.gain(pair.first, pair.second), "1"));
  if (step.has("best_all")) lab.add(Value("threads_gain", step.gain("best_all", "best"), "1"));
  lab.add(causes_series("causes", step));
  add_column_and_sum(lab, step);
  time_split_lines(lab);
  lab.show("What makes the definition slow at N = " + std::to_string(n), {"causes"});
}

}  // namespace hf::matmul
