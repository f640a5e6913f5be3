// Chapter 00: below how many numbers is insertion sort faster than quicksort? One function for each section.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "00-crossover/kernels/counted.hpp"
#include "00-crossover/kernels/sorts.hpp"
#include "check.hpp"
#include "harness/report/lab.hpp"

namespace sorting {
namespace {

constexpr std::size_t pool_size = std::size_t{1} << 20;  // numbers: too many orders to be remembered
constexpr std::array<std::size_t, 18> sizes = {2,  4,   8,   12,  16,  24,  32,   48,   64,
                                               96, 128, 192, 256, 384, 512, 1024, 2048, 4096};

/// Sorts the next n numbers of the pool at each call, or the first n again and again.
template <class Sort>
hf::Variant variant(const std::string& id, std::size_t n, const std::vector<int>& pool, Sort sort,
                    bool repeat = false) {
  return hf::timed(id, [=, &pool, a = std::vector<int>(n), at = std::size_t{0}]() mutable {
    std::copy_n(pool.begin() + static_cast<std::ptrdiff_t>(at), n, a.begin());
    sort(a.data(), n);
    hf::keep(a[0]);
    if (!repeat) at = at + 2 * n <= pool.size() ? at + n : 0;
  });
}

void check() {
  check_sort("insertion sort", insertion_sort<int>);
  check_sort("quicksort", quicksort<int>);
  check_sort("the hybrid", [](int* a, std::size_t n) { hybrid_sort(a, n, 16); });
}

/// The size at which two curves of a quantity cross: the last grid interval in which the difference of their logarithms
/// changes sign, interpolated on a logarithmic axis. The ends of the grid if they never cross.
double crossing(const std::vector<double>& log_ratios) {
  for (std::size_t i = log_ratios.size() - 1; i-- > 0;) {
    const double before = log_ratios[i], after = log_ratios[i + 1];
    if (before <= 0 && after > 0) {
      const double low = std::log2(sizes[i]), high = std::log2(sizes[i + 1]);
      return std::exp2(low + (high - low) * before / (before - after));
    }
  }
  return static_cast<double>(log_ratios.back() > 0 ? sizes.front() : sizes.back());
}

/// n²/4 = 2 n ln n, the leading terms of both counts of comparisons.
double crossing_of_leading_terms() {
  double n = 26;
  for (int i = 0; i < 50; ++i) n = 8 * std::log(n);
  return n;
}

struct Counts {
  double comparisons, moves;
};

/// Comparisons and moves for each number, on average over the pool.
template <class Sort>
Counts count(std::size_t n, const std::vector<int>& pool, Sort sort) {
  const std::size_t inputs = pool.size() / n < 256 ? pool.size() / n : 256;
  std::vector<Counted> a(pool.begin(), pool.begin() + static_cast<std::ptrdiff_t>(inputs * n));
  Counted::comparisons = Counted::moves = 0;
  for (std::size_t i = 0; i < inputs; ++i) sort(a.data() + i * n, n);
  const auto numbers = static_cast<double>(inputs * n);
  return {static_cast<double>(Counted::comparisons) / numbers, static_cast<double>(Counted::moves) / numbers};
}

void count_work(hf::Lab& lab) {
  const auto pool = random_numbers(pool_size, 1);
  hf::Series insertion = {.id = "insertion_comparisons",
                          .label = "insertion sort",
                          .kind = hf::Kind::simulated,
                          .x = {"n", "1"},
                          .y = {"comparisons for each number", "1"}};
  hf::Series quick = insertion;
  quick.id = "quicksort_comparisons";
  quick.label = "quicksort";
  std::vector<double> comparisons, work;
  for (const std::size_t n : sizes) {
    const Counts slow = count(n, pool, insertion_sort<Counted>), fast = count(n, pool, quicksort<Counted>);
    insertion.points.emplace_back(static_cast<double>(n), slow.comparisons);
    quick.points.emplace_back(static_cast<double>(n), fast.comparisons);
    comparisons.push_back(std::log(slow.comparisons / fast.comparisons));
    work.push_back(std::log((slow.comparisons + slow.moves) / (fast.comparisons + fast.moves)));
    if (n == 64) {
      lab.simulated("insertion_comparisons_64", slow.comparisons * 64);
      lab.simulated("quicksort_comparisons_64", fast.comparisons * 64);
      lab.simulated("insertion_moves_64", slow.moves * 64);
      lab.simulated("quicksort_moves_64", fast.moves * 64);
    }
    lab.tick();
  }
  lab.add(insertion);
  lab.add(quick);
  lab.modelled("crossover_leading_terms", crossing_of_leading_terms());
  lab.simulated("crossover_of_comparisons", crossing(comparisons));
  lab.simulated("crossover_of_work", crossing(work));
}

/// Where the curves cross if each ratio is its median, and for its other quantiles.
hf::Estimate crossings(std::vector<hf::Estimate> ratios) {
  std::size_t rounds = ratios.front().samples.size();
  for (auto& ratio : ratios) {
    std::sort(ratio.samples.begin(), ratio.samples.end());
    rounds = std::min(rounds, ratio.samples.size());
  }
  std::vector<double> found;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::vector<double> logs;
    for (const auto& ratio : ratios) {
      logs.push_back(std::log(ratio.samples[rounds == 1 ? 0 : i * (ratio.samples.size() - 1) / (rounds - 1)]));
    }
    found.push_back(crossing(logs));
  }
  return hf::estimate(found);
}

void time_both(hf::Lab& lab) {
  const auto pool = random_numbers(pool_size, 2);
  hf::Series insertion = {
      .id = "insertion", .label = "insertion sort", .x = {"n", "1"}, .y = {"time per number", "ns"}};
  hf::Series quick = {.id = "quicksort", .label = "quicksort", .x = {"n", "1"}, .y = {"time per number", "ns"}};
  std::vector<hf::Estimate> ratios;
  for (const std::size_t n : sizes) {
    const auto sampling = hf::sample_interleaved(
        {variant("insertion", n, pool, insertion_sort<int>), variant("quicksort", n, pool, quicksort<int>)},
        lab.plan(sizes.size()));
    const double per_number = 1e9 / static_cast<double>(n);
    insertion.points.emplace_back(static_cast<double>(n), hf::times(sampling.of("insertion"), per_number));
    quick.points.emplace_back(static_cast<double>(n), hf::times(sampling.of("quicksort"), per_number));
    ratios.push_back(sampling.ratio("insertion", "quicksort"));
    if (n == 4096) lab.add(hf::Value("insertion_over_quicksort_4096", ratios.back(), "1"));
  }
  lab.add(insertion);
  lab.add(quick);
  lab.add(hf::Value("crossover", crossings(ratios), "1"));
}

/// The same 64 numbers again and again: the processor learns in which order the branches go.
void time_branches(hf::Lab& lab) {
  const auto pool = random_numbers(pool_size, 3);
  constexpr std::size_t n = 64;
  const auto sampling = hf::sample_interleaved(
      {variant("insertion_new", n, pool, insertion_sort<int>),
       variant("insertion_same", n, pool, insertion_sort<int>, true), variant("quicksort_new", n, pool, quicksort<int>),
       variant("quicksort_same", n, pool, quicksort<int>, true)},
      lab.plan());
  for (const auto& id : sampling.ids) lab.add(hf::Value(id + "_ns", hf::times(sampling.of(id), 1e9 / n), "ns"));
  lab.add(hf::Value("quicksort_new_over_same", sampling.ratio("quicksort_new", "quicksort_same"), "1"));
  lab.add(hf::Value("insertion_new_over_same", sampling.ratio("insertion_new", "insertion_same"), "1"));
  lab.add(hf::Value("insertion_over_quicksort_same", sampling.ratio("insertion_same", "quicksort_same"), "1"));
}

void time_hybrids(hf::Lab& lab) {
  const auto pool = random_numbers(pool_size, 4);
  constexpr std::size_t large = std::size_t{1} << 17;
  const std::vector<std::size_t> cutoffs = {1, 8, 16, 32, 64, 128};
  std::vector<hf::Variant> variants;
  const auto add = [&](const std::string& id, std::size_t cutoff) {
    variants.push_back(variant(id, large, pool, [cutoff](int* a, std::size_t n) { hybrid_sort(a, n, cutoff); }));
  };
  for (const std::size_t cutoff : cutoffs) add(std::to_string(cutoff), cutoff);
  add("crossover", static_cast<std::size_t>(lab.value("crossover")));
  const auto sampling = hf::sample_interleaved(variants, lab.plan());
  hf::Series gain = {.id = "hybrid_gain", .label = "hybrid", .x = {"cutoff", "1"}, .y = {"speed over quicksort", "1"}};
  for (const std::size_t cutoff : cutoffs) {
    gain.points.emplace_back(static_cast<double>(cutoff), sampling.ratio("1", std::to_string(cutoff)));
  }
  lab.add(gain);
  lab.add(hf::Value("hybrid_gain_at_crossover", sampling.ratio("1", "crossover"), "1"));
}

}  // namespace
}  // namespace sorting

int main(int argc, char** argv) {
  using namespace sorting;
  std::optional<hf::Pinned> pinned;
  return hf::run_lab({.id = "00-crossover",
                      .title = "Where two sorts cross",
                      .prepare =
                          [&](hf::Lab&) {
                            check();
                            pinned.emplace();
                          },
                      .steps = {{"counts", count_work, 0.3, 0.3},
                                {"both sorts", time_both, 1.5, 4},
                                {"branches", time_branches, 0.2, 0.4},
                                {"hybrids", time_hybrids, 1, 4, {"both sorts"}}}},
                     argc, argv);
}
