// Searches automatically for the best tile.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/check/candidate_runs.hpp"
#include "07-compilers/kernels/search/candidate.hpp"
#include "07-compilers/kernels/search/cost_model.hpp"
#include "07-compilers/kernels/search/tuners.hpp"
#include "harness/measure/peaks.hpp"
#include "kit/gemm/schedule.hpp"

namespace hf::compilers {
namespace {

/// A shape to tune, and all results for it.
struct Tuning {
  std::string id;
  CandidateRuns runs;
  SearchSpace space;
  double share;  ///< share of the step's time for the measurement of all candidates
  SearchTable table = {};

  // Results of confirm().
  Candidate to_use = {};  ///< the one chosen by hand, unless another is faster beyond the noise
  bool is_hand = true;
  Estimate rival_over_hand = {};  ///< speed of the fastest other candidate relative to the one by hand, remeasured

  Tuning(std::string id_, const ProductShape& shape, double share_)
      : id(std::move(id_)), runs(shape), space(shape), share(share_) {}
};

/// Measures all candidates, in a new random order in each round: three rounds, and up to nine while time remains.
void measure_all(const Lab& lab, Tuning& tuning) {
  constexpr double sample_seconds = 3e-5;
  constexpr int fewest_rounds = 3, most_rounds = 9;
  const CandidateRuns& runs = tuning.runs;
  const SearchSpace& space = tuning.space;
  SearchTable& table = tuning.table;
  std::vector<std::size_t> order(space.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const std::size_t index : order) {
    runs.check(space.candidate(index));
    lab.tick();
  }
  const auto seconds_of = [&runs](const Candidate& candidate, std::int64_t calls) {
    return timed("", [&] { runs.run(candidate); }).seconds(calls) / static_cast<double>(calls);
  };
  table.seconds.resize(space.size());
  std::mt19937 random(1);
  const std::int64_t start = now_ns();
  const auto elapsed = [&] { return static_cast<double>(now_ns() - start) * 1e-9; };
  for (int round = 0; round < most_rounds; ++round) {
    if (round >= fewest_rounds && elapsed() * (round + 1) / round > tuning.share * lab.step_seconds()) break;
    std::ranges::shuffle(order, random);
    for (const std::size_t index : order) {
      const Candidate candidate = space.candidate(index);
      const double warm = seconds_of(candidate, 1);  // replaces what the previous candidate left in the caches
      const double once = round == 0 ? warm : table.seconds[index].front();
      const auto calls = static_cast<std::int64_t>(std::ceil(sample_seconds / std::max(once, 1e-7)));
      table.seconds[index].push_back(seconds_of(candidate, calls));
      lab.tick();
    }
  }
  for (const std::vector<double>& seconds : table.seconds) table.medians.push_back(estimate(seconds).median);
}

// ---- Search spaces ----

/// Returns the largest size that the time allows. On average, a candidate takes about 1.5 times as long as the one
/// chosen by hand, and runs once for the check and twice in each of four rounds. Tiles of one to four vectors divide
/// the size.
std::size_t square_size(const Lab& lab, double share) {
  for (const std::size_t n : {384, 192, 96}) {
    const ProductShape shape = {n, n, n};
    const CandidateRuns runs(shape);
    Plan plan = lab.plan();
    plan.rounds = 3;
    const double seconds = sample(runs.variant("hand", chosen_by_hand(shape)), plan).median;
    if (13.5 * seconds * as_double(SearchSpace(shape).size()) < share * lab.step_seconds()) return n;
  }
  return 48;
}

std::vector<Tuning> shapes_to_tune(Lab& lab) {
  constexpr double for_square = 0.5, for_another = 0.06;
  const std::size_t n = square_size(lab, for_square);
  std::vector<Tuning> all;
  all.emplace_back("square", ProductShape{n, n, n}, for_square);
  all.emplace_back("flat", ProductShape{16, 1024, 256}, for_another);
  all.emplace_back("narrow", ProductShape{2 * n, 3 * kernel_lanes, n / 2}, for_another);
  all.emplace_back("small", ProductShape{48, 48, 48}, for_another);
  return all;
}

// ---- Predictions of the model ----

CoreRates measure_rates(const Lab& lab) {
  const auto capacity = [&](int level, double otherwise) {
    const auto bytes = static_cast<double>(lab.machine().cache_bytes(level));
    return bytes > 0 ? bytes : otherwise;
  };
  const double l1 = capacity(1, 32 * 1024), l2 = capacity(2, 512 * 1024);
  Team one(1);
  Plan plan = lab.plan(100);
  plan.rounds = 9;
  const PeakVariant peak = peak_variant(Precision::fp32, one);
  const Sampling sampling = sample_interleaved({peak.variant, chain_of_sums()}, plan);
  const double at_peak = peak.flops / (2 * as_double(kernel_lanes));  // multiply-adds of vectors in a call
  return {.flops = peak.gflops(sampling.of("peak")).median * 1e9,
          .sums_in_flight = sampling.ratio("chain", "peak").median * at_peak / chain_links,
          .l2_bytes = dram_read_gbs(one, plan, static_cast<std::size_t>(l2 / 2)).median * 1e9,
          .far_bytes = dram_read_gbs(one, plan, static_cast<std::size_t>(4 * l2)).median * 1e9,
          .l1_capacity = l1,
          .l2_capacity = l2};
}

/// Adds the share of the peak, predicted and measured, of every tile with the blocks that were chosen by hand.
void measure_tiles(Lab& lab, const Tuning& square, const CoreRates& rates) {
  const Axis rows_axis = {"rows of a tile", "1"}, peak_axis = {"speed ÷ the FMA peak", "1"};
  const ProductShape& shape = square.runs.shape;
  const Candidate hand = chosen_by_hand(shape);
  const auto id = [](const Candidate& tile) {
    return std::to_string(tile.schedule.tile_rows) + "x" + std::to_string(tile.vectors);
  };
  std::vector<Candidate> tiles;
  for (std::size_t vectors = 1; vectors <= most_tile_vectors; ++vectors) {
    for (std::size_t rows = 1; rows <= most_tile_rows; ++rows) {
      tiles.push_back(hand);
      tiles.back().vectors = vectors;
      tiles.back().schedule.tile_rows = rows;
    }
  }
  Team one(1);
  const PeakVariant peak = peak_variant(Precision::fp32, one);
  std::vector<Variant> variants = {peak.variant};
  for (const Candidate& tile : tiles) variants.push_back(square.runs.variant(id(tile), tile));
  Plan plan = lab.plan(8);
  plan.rounds = std::min(plan.rounds, 11);
  plan.minimum_rounds = 3;
  plan.sample_seconds = 1e-4;
  plan.warm_seconds = 0;
  const Sampling sampling = sample_interleaved(variants, plan);
  for (std::size_t vectors = 1; vectors <= most_tile_vectors; ++vectors) {
    const std::string speed = "tile_speed_" + std::to_string(vectors);
    const std::string label = std::to_string(vectors) + (vectors == 1 ? " vector wide" : " vectors wide");
    Series measured = {speed, label, Kind::measured, rows_axis, peak_axis};
    Series predicted = {speed + "_predicted", label, Kind::modelled, rows_axis, peak_axis};
    for (const Candidate& tile : tiles) {
      if (tile.vectors != vectors) continue;
      const double rows = as_double(tile.schedule.tile_rows), seconds = predict(tile, shape, rates).total();
      measured.points.emplace_back(rows, times(sampling.ratio("peak", id(tile)), shape.flops() / peak.flops));
      predicted.points.emplace_back(rows, shape.flops() / seconds / rates.flops);
    }
    for (Series* series : {&measured, &predicted}) lab.add(std::move(*series));
  }
}

// ---- Measurement of all candidates ----

/// Share of candidates that take at most 5% longer than the best.
double near_best_share(const std::vector<double>& sorted) {
  const auto near = std::ranges::upper_bound(sorted, 1.05 * sorted.front()) - sorted.begin();
  return static_cast<double>(near) / as_double(sorted.size());
}

void measure_spaces(Lab& lab, std::vector<Tuning>& all) {
  for (Tuning& tuning : all) measure_all(lab, tuning);
  std::vector<double> square = all.front().table.medians, narrow = all[2].table.medians;
  std::ranges::sort(square);
  std::ranges::sort(narrow);
  lab.derived("search_square_median_over_best", square[square.size() / 2] / square.front());
  lab.derived("search_square_near_best_share", near_best_share(square));
  lab.derived("search_narrow_near_best_share", near_best_share(narrow));
}

// ---- Searches with fewer measurements ----

/// Replays searches on the measured table. \return random, evolutionary and model-guided search
std::vector<Replay> replay_searches(Lab& lab, const Tuning& tuning, const CoreRates& rates) {
  constexpr std::size_t seeds = 100;
  const std::string id = "search_" + tuning.id + "_";
  const Axis trials_axis = {"trials", "1"}, ratio_axis = {"time ÷ that of the best", "1"};
  std::vector<double> predicted;
  for (std::size_t i = 0; i < tuning.space.size(); ++i) {
    predicted.push_back(predict(tuning.space.candidate(i), tuning.runs.shape, rates).total());
  }
  const std::vector<std::pair<std::string, Search>> searches = {
      {"random", [&](Trials& trials, std::mt19937& random) { search_at_random(trials, tuning.space, random); }},
      {"evolution", [&](Trials& trials, std::mt19937& random) { search_by_evolution(trials, tuning.space, random); }},
      {"model", [&](Trials& trials, std::mt19937& random) { search_by_model(trials, predicted, random); }}};
  std::vector<Replay> replays;
  for (const auto& [label, search] : searches) {
    const Replay found = replay(tuning.table, search, seeds);
    Series series = {id + label, label, Kind::measured, trials_axis, ratio_axis};
    for (std::size_t i = 0; i < found.trials.size(); ++i) {
      series.points.emplace_back(as_double(found.trials[i]), found.over_best[i]);
    }
    lab.add(std::move(series));
    replays.push_back(found);
    lab.tick();
  }
  Series expected = {id + "random_predicted", "random, predicted", Kind::modelled, trials_axis, ratio_axis};
  for (const std::size_t trials : replays.front().trials) {
    expected.points.emplace_back(as_double(trials), expected_at_random(tuning.table, trials));
  }
  lab.add(std::move(expected));
  lab.derived("autotune_" + tuning.id + "_rank_correlation", rank_correlation(predicted, tuning.table.medians));
  return replays;
}

/// Replays searches for one shape with many candidates close to the best, and one with few.
void replay_all(Lab& lab, const Tuning& square, const Tuning& narrow, const CoreRates& rates) {
  std::vector<Replay> all = replay_searches(lab, square, rates);
  const std::vector<Replay> narrow_found = replay_searches(lab, narrow, rates);
  const auto &random = narrow_found.front().trials_to_5_percent, &model = narrow_found.back().trials_to_5_percent;
  if (random && model) {
    lab.derived("search_trials_narrow_random", as_double(*random));
    lab.derived("search_trials_narrow_model", as_double(*model));
  }
  all.insert(all.end(), narrow_found.begin(), narrow_found.end());
  const auto gap = [](const Replay& found) { return found.gap_at_10_percent.median; };
  lab.add(Value("search_gap_at_10_percent", std::ranges::max_element(all, {}, gap)->gap_at_10_percent, "1"));
}

// ---- Remeasuring the winner ----

/// Adds speeds of the fastest candidates of the first round, relative to the one chosen by hand: as measured in the
/// first round and in the others.
void show_curse(Lab& lab, const Tuning& square) {
  constexpr std::size_t shown = 30;
  const SearchTable& table = square.table;
  const Curse curse = look_at_curse(table, shown);
  lab.add(Value("winners_curse", curse.over_others, "1"));
  const Axis rank_axis = {"place in the first round", "1"}, ratio_axis = {"speed ÷ that of the hand-picked tile", "1"};
  Series seen = {"curse_seen", "in the first round", Kind::measured, rank_axis, ratio_axis};
  Series again = {"curse_again", "in the other rounds", Kind::measured, rank_axis, ratio_axis};
  const double hand = table.medians[square.space.hand()];
  for (std::size_t i = 0; i < curse.first.size(); ++i) {
    const std::vector<double>& seconds = table.seconds[curse.first[i]];
    std::vector<double> later;
    for (std::size_t round = 1; round < seconds.size(); ++round) later.push_back(hand / seconds[round]);
    seen.points.emplace_back(as_double(i + 1), estimate({hand / seconds[0]}));
    again.points.emplace_back(as_double(i + 1), estimate(std::move(later)));
  }
  for (Series* series : {&seen, &again}) lab.add(std::move(*series));
}

std::string text_of(const Candidate& candidate) {
  const auto& [blocking, rows, pack_b, panels_outside, split] = candidate.schedule;
  return std::to_string(rows) + "×" + std::to_string(candidate.vectors) + ", " + std::to_string(candidate.unroll) +
         (candidate.unroll == 1 ? " step" : " steps") + ", blocks " + std::to_string(blocking.depth) + "×" +
         std::to_string(blocking.width) + (pack_b == matmul::Use::always ? ", packed" : "") +
         (panels_outside ? "" : ", tiles outside");
}

/// Measures the fastest candidates of a table and the one chosen by hand side by side. Then measures the best of those
/// others against the one by hand again, because the fastest of many was also lucky, and only a new measurement is free
/// of that luck. Keeps the one by hand unless the first of these measurements shows a gain of more than twice its
/// noise.
void confirm(const Lab& lab, Tuning& tuning) {
  constexpr std::size_t finalists = 5;
  Plan plan = lab.plan(40);
  plan.sample_seconds = 2e-4;
  std::vector<std::size_t> indices = fastest(tuning.table.medians, finalists);
  std::erase(indices, tuning.space.hand());
  std::vector<Variant> variants = {tuning.runs.variant("hand", tuning.space.candidate(tuning.space.hand()))};
  for (const std::size_t index : indices)
    variants.push_back(tuning.runs.variant(std::to_string(index), tuning.space.candidate(index)));
  const Sampling sampling = sample_interleaved(variants, plan);
  const auto fastest_other =
      std::ranges::min_element(sampling.seconds.begin() + 1, sampling.seconds.end(), {}, &Estimate::median);
  const auto rival = static_cast<std::size_t>(fastest_other - sampling.seconds.begin());
  const Estimate gain = sampling.ratio("hand", variants[rival].id);
  tuning.is_hand = gain.median - 1 < 2 * bootstrap_deviation(times(gain, 1 / gain.median).samples);
  tuning.to_use = tuning.space.candidate(tuning.is_hand ? tuning.space.hand() : indices[rival - 1]);
  tuning.rival_over_hand = sample_interleaved({variants[0], variants[rival]}, plan).ratio("hand", variants[rival].id);
}

void confirm_winners(Lab& lab, std::vector<Tuning>& all) {
  std::vector<std::vector<std::string>> rows;
  for (Tuning& tuning : all) {
    confirm(lab, tuning);
    rows.push_back({tuning.runs.shape.text(), text_of(chosen_by_hand(tuning.runs.shape)),
                    tuning.is_hand ? "the same" : text_of(tuning.to_use), number_text(tuning.rival_over_hand.median)});
  }
  lab.show({"The fastest tiles found, timed again",
            {"m×n×k", "by hand", "by search", "speed of the best other tile ÷ by hand"},
            rows});
}

// ---- Using one shape's result for another ----

/// Returns the candidate with its blocks limited to the shape's depth and width.
Candidate cut_to(const ProductShape& shape, Candidate candidate) {
  matmul::Blocking& blocking = candidate.schedule.blocking;
  blocking = {std::min(blocking.depth, shape.k), std::min(blocking.width, std::max(shape.n, kernel_lanes))};
  return candidate;
}

void measure_transfer(Lab& lab, const std::vector<Tuning>& all) {
  double worst = 1;
  for (const Tuning& to : all) {
    std::vector<Variant> variants;
    for (const Tuning& from : all) variants.push_back(to.runs.variant(from.id, cut_to(to.runs.shape, from.to_use)));
    Plan plan = lab.plan(40);
    plan.sample_seconds = 2e-4;
    const Sampling sampling = sample_interleaved(variants, plan);
    for (const Tuning& from : all) worst = std::min(worst, sampling.ratio(to.id, from.id).median);
  }
  lab.derived("transfer_worst", worst);
}

}  // namespace

void measure_search(Lab& lab) {
  std::vector<Tuning> all = shapes_to_tune(lab);
  const Tuning& square = all.front();
  lab.modelled("search_ways_measured", as_double(square.space.size()));
  const CoreRates rates = measure_rates(lab);
  measure_tiles(lab, square, rates);
  measure_spaces(lab, all);
  replay_all(lab, square, all[2], rates);
  show_curse(lab, square);
  confirm_winners(lab, all);
  measure_transfer(lab, all);
}

}  // namespace hf::compilers
