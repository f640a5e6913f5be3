// Divergence: numbers that take one branch or the other, in random order and sorted.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/branches.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shown_as.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

/// Percentages of numbers that take the long branch.
constexpr std::array long_way_percents = {0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 100};

const Axis share_axis = {shown_as("numbers on the long branch"), "%"}, time_axis = {"time per number", "ns"};

/// Few enough for a near cache, too many for a branch predictor to memorize.
constexpr std::size_t numbers = 1 << 16;

using Way = void (*)(const float* x, float* y, std::size_t count, float threshold);

/// Returns the threshold that `percent` of the sorted numbers are below.
float threshold_for(int percent, const std::vector<float>& sorted) {
  const std::size_t below = numbers * static_cast<std::size_t>(percent) / 100;
  return below == numbers ? 2.0f : sorted[below];
}

void check(Way way, const std::vector<float>& x, float threshold) {
  std::vector<float> y(x.size(), std::nanf(""));
  way(x.data(), y.data(), x.size(), threshold);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(y[i] - branch_reference(x[i], threshold)) <= branch_error_bound()))
      throw std::runtime_error("number " + std::to_string(i) + " is wrong after its branch; nothing was timed");
}

std::size_t place_of(int percent) {
  return static_cast<std::size_t>(std::find(long_way_percents.begin(), long_way_percents.end(), percent) -
                                  long_way_percents.begin());
}

/// Adds the times for each of long_way_percents.
void add_times(Lab& lab, const char* id, const char* label, const std::vector<Estimate>& ns) {
  Series series = {id, label, Kind::measured, share_axis, time_axis};
  for (std::size_t i = 0; i < ns.size(); ++i) series.points.emplace_back(long_way_percents[i], ns[i]);
  lab.add(std::move(series));
}

/// Adds the model for vectors in random order, from the two ends, if a vector takes every branch of its lanes.
void add_model(Lab& lab, double none_ns, double all_ns) {
  Series model = {"divergence_model", shown_as("any lane, both branches"), Kind::modelled, share_axis, time_axis};
  for (int percent = 0; percent <= 100; ++percent)
    model.points.emplace_back(percent, divergence_model(percent / 100.0, vector_lanes(), none_ns, all_ns));
  lab.add(std::move(model));
}

}  // namespace

void measure_divergence(Lab& lab) {
  std::vector<float> shuffled(numbers);
  fill_random(shuffled, 5);
  for (float& each : shuffled) each = (each + 1) / 2;
  std::vector<float> sorted = shuffled, y(numbers);
  std::sort(sorted.begin(), sorted.end());

  std::vector<Variant> variants;
  for (const int percent : long_way_percents) {
    const float threshold = threshold_for(percent, sorted);
    for (const Way way : {branch_vector, branch_scalar}) check(way, shuffled, threshold);
    const auto variant = [&, threshold](const char* name, Way way, const std::vector<float>& x) {
      variants.push_back(timed(name + std::to_string(percent),
                               [&x, &y, way, threshold] { way(x.data(), y.data(), numbers, threshold); }));
    };
    variant("vector", branch_vector, shuffled);
    variant("sorted", branch_vector, sorted);
    variant("scalar", branch_scalar, shuffled);
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan());

  const auto ns = [](double s) { return s * 1e9 / numbers; };
  std::vector<Estimate> vector, vector_sorted, scalar;
  for (std::size_t i = 0; i < variants.size(); i += 3) {
    vector.push_back(transform(sampling.seconds[i], ns));
    vector_sorted.push_back(transform(sampling.seconds[i + 1], ns));
    scalar.push_back(transform(sampling.seconds[i + 2], ns));
  }
  add_times(lab, "divergence_vector", "vectors, random order", vector);
  add_times(lab, "divergence_sorted", "vectors, sorted", vector_sorted);
  add_times(lab, "divergence_scalar", "one number at a time", scalar);
  add_model(lab, vector.front().median, vector.back().median);
  const std::size_t tenth = place_of(10);
  lab.add(Value("divergence_sorted_gain", ratio(vector[tenth].samples, vector_sorted[tenth].samples), "1"));
}

}  // namespace hf::gpu
