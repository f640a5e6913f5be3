// Chapter 01: do the cache lines that a sort fetches explain its time? One function for each section.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "01-merge/check/cache.hpp"
#include "01-merge/kernels/merge_sort.hpp"
#include "check.hpp"
#include "harness/report/lab.hpp"

namespace sorting {
namespace {

constexpr double numbers_per_line = Cache::line_bytes / sizeof(int);

void check() {
  check_sort("merge sort", [](int* a, std::size_t n) {
    std::vector<int> spare(n);
    merge_sort(a, spare.data(), n);
  });
  check_sort("std::sort", [](int* a, std::size_t n) { std::sort(a, a + n); });
}

std::uint64_t cache_bytes(const hf::Lab& lab, int level, std::uint64_t otherwise) {
  const std::uint64_t bytes = lab.machine().cache_bytes(level);
  return bytes > 0 ? bytes : otherwise;
}
std::uint64_t l1_bytes(const hf::Lab& lab) { return cache_bytes(lab, 1, 32 << 10); }
std::uint64_t l2_bytes(const hf::Lab& lab) { return cache_bytes(lab, 2, 1 << 20); }

// [begin: model]
/// Lines fetched for each number. Both arrays are copied once and
/// sorted once; each doubling beyond the cache is a pass over both.
double merge_lines(double n, double cache) {
  const double beyond = std::max(0.0, std::log2(2 * sizeof(int) * n / cache));
  return 2 / numbers_per_line * (beyond > 0 ? 2 + beyond : 1);
}

/// One array, sorted in place. With the median of three numbers as
/// pivot, each doubling needs 1.19 levels of partitions. The last
/// pass is the insertion sort of std::sort.
double std_sort_lines(double n, double cache) {
  const double beyond = std::max(0.0, std::log2(sizeof(int) * n / cache));
  return 1 / numbers_per_line * (beyond > 0 ? 2 + 1.19 * beyond : 1);
}
// [end: model]

struct Lines {
  double l1, l2;
};

/// Lines that a sort of n random numbers fetches into empty caches, for each number.
template <class Sort>
Lines simulate(const hf::Lab& lab, std::size_t n, Sort sort) {
  const auto numbers = random_numbers(n, 1);
  std::vector<Traced> a(numbers.begin(), numbers.end());
  Cache l1(l1_bytes(lab)), l2(l2_bytes(lab));
  Traced::l1 = &l1;
  Traced::l2 = &l2;
  sort(a);
  Traced::l1 = Traced::l2 = nullptr;
  const auto count = static_cast<double>(n);
  return {static_cast<double>(l1.fetched()) / count, static_cast<double>(l2.fetched()) / count};
}

hf::Series series(const std::string& id, const std::string& label, hf::Kind kind, const hf::Axis& y) {
  return {.id = id, .label = label, .kind = kind, .x = {"n", "1"}, .y = y};
}

Lines simulate_merge(const hf::Lab& lab, std::size_t n) {
  std::vector<Traced> spare(n);
  return simulate(lab, n, [&](std::vector<Traced>& a) { merge_sort(a.data(), spare.data(), a.size()); });
}

Lines simulate_std(const hf::Lab& lab, std::size_t n) {
  return simulate(lab, n, [](std::vector<Traced>& a) { std::sort(a.begin(), a.end()); });
}

void predict_lines(hf::Lab& lab) {
  const hf::Axis lines = {"lines into L2 for each number", "1"};
  auto merge = series("merge_lines", "merge sort", hf::Kind::modelled, lines);
  auto introsort = series("std_sort_lines", "std::sort", hf::Kind::modelled, lines);
  const auto cache = static_cast<double>(l2_bytes(lab));
  for (std::size_t n = 1 << 12; n <= 1 << 20; n *= 2) {
    merge.points.emplace_back(static_cast<double>(n), merge_lines(static_cast<double>(n), cache));
    introsort.points.emplace_back(static_cast<double>(n), std_sort_lines(static_cast<double>(n), cache));
  }
  lab.add(merge);
  lab.add(introsort);
  lab.modelled("l1_bytes", static_cast<double>(l1_bytes(lab)), "B");
  lab.modelled("l2_bytes", cache, "B");
}

void count_lines(hf::Lab& lab) {
  const hf::Axis lines = {"lines into L2 for each number", "1"};
  auto merge = series("merge_lines_simulated", "merge sort", hf::Kind::simulated, lines);
  auto introsort = series("std_sort_lines_simulated", "std::sort", hf::Kind::simulated, lines);
  Lines of_merge{}, of_std{};
  for (std::size_t n = 1 << 12; n <= 1 << 20; n *= 2) {
    of_merge = simulate_merge(lab, n);
    of_std = simulate_std(lab, n);
    merge.points.emplace_back(static_cast<double>(n), of_merge.l2);
    introsort.points.emplace_back(static_cast<double>(n), of_std.l2);
    lab.tick();
  }
  lab.add(merge);
  lab.add(introsort);
  const double n = 1 << 20, cache = static_cast<double>(l2_bytes(lab));
  lab.simulated("merge_lines_l1_million", of_merge.l1);
  lab.simulated("std_sort_lines_l1_million", of_std.l1);
  lab.simulated("merge_lines_million", of_merge.l2);
  lab.simulated("std_sort_lines_million", of_std.l2);
  lab.modelled("merge_lines_million_predicted", merge_lines(n, cache));
  lab.modelled("std_sort_lines_million_predicted", std_sort_lines(n, cache));
}

/// A sort of n numbers, others in each call if the pool has more: a processor may remember how the branches went for the same.
template <class Sort>
hf::Variant variant(const std::string& id, std::size_t n, const std::vector<int>& pool, Sort sort) {
  return hf::timed(id, [=, &pool, a = std::vector<int>(n), at = std::size_t{0}]() mutable {
    std::copy_n(pool.begin() + static_cast<std::ptrdiff_t>(at), n, a.begin());
    sort(a.data(), n);
    hf::keep(a[0]);
    at = (at + n) % pool.size();
  });
}

hf::Variant merge_variant(const std::string& id, std::size_t n, const std::vector<int>& pool) {
  return variant(id, n, pool, [spare = std::vector<int>(n)](int* a, std::size_t count) mutable {
    merge_sort(a, spare.data(), count);
  });
}

void time_both(hf::Lab& lab) {
  const hf::Axis time = {"time per number", "ns"};
  auto merge = series("merge", "merge sort", hf::Kind::measured, time);
  auto introsort = series("std_sort", "std::sort", hf::Kind::measured, time);
  const std::size_t largest = lab.quick() ? 1 << 20 : 1 << 22;
  const auto pool = random_numbers(largest, 2);
  for (std::size_t n = 1 << 12; n <= largest; n *= 2) {
    hf::Plan plan = lab.plan(largest >> 20 > 1 ? 11 : 9);
    plan.minimum_rounds = 3;
    if (n >= 1 << 18) plan.warm_seconds = 0;  // a sample sweeps the caches many times
    const auto sampling =
        hf::sample_interleaved({merge_variant("merge", n, pool),
                                variant("std", n, pool, [](int* a, std::size_t count) { std::sort(a, a + count); })},
                               plan);
    const double per_number = 1e9 / static_cast<double>(n);
    merge.points.emplace_back(static_cast<double>(n), hf::times(sampling.of("merge"), per_number));
    introsort.points.emplace_back(static_cast<double>(n), hf::times(sampling.of("std"), per_number));
    if (n == 1 << 20) lab.add(hf::Value("merge_over_std_sort_million", sampling.ratio("merge", "std"), "1"));
  }
  lab.add(merge);
  lab.add(introsort);
}

/// The time that merge sort takes for each number and level: log2 n levels, so the quotient is the same while no cache matters.
void time_levels(hf::Lab& lab) {
  const auto pool = random_numbers(1 << 20, 3);
  const auto sampling = hf::sample_interleaved(
      {merge_variant("small", 1 << 14, pool), merge_variant("large", 1 << 20, pool)}, lab.plan());
  lab.add(hf::Value("level_inside_ns", hf::times(sampling.of("small"), 1e9 / (14.0 * (1 << 14))), "ns"));
  lab.add(hf::Value("level_beyond_ns", hf::times(sampling.of("large"), 1e9 / (20.0 * (1 << 20))), "ns"));
  lab.add(hf::Value("level_beyond_over_inside", hf::times(sampling.ratio("large", "small"), 14.0 / 20 / 64), "1"));
}

}  // namespace
}  // namespace sorting

int main(int argc, char** argv) {
  using namespace sorting;
  std::optional<hf::Pinned> pinned;
  return hf::run_lab({.id = "01-merge",
                      .title = "Counting lines",
                      .prepare =
                          [&](hf::Lab&) {
                            check();
                            pinned.emplace();
                          },
                      .steps = {{"predicted lines", predict_lines, 0.1, 0.1},
                                {"simulated lines", count_lines, 4, 4},
                                {"both sorts", time_both, 2, 8},
                                {"levels", time_levels, 0.8, 2.5}}},
                     argc, argv);
}
