// Tests and times which loops may be exchanged, and other permissions that a compiler needs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/check/changed_results.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/legality/dependence_test.hpp"
#include "07-compilers/kernels/legality/nest_kernels.hpp"
#include "07-compilers/kernels/legality/permissions.hpp"
#include "common/random.hpp"
#include "harness/measure/memory.hpp"

namespace hf::compilers {
namespace {

/// Times one call of each loop order, and of the same number of mixtures in a dependent chain.
Sampling time_nests(const Plan& plan) {
  const Pinned pinned;
  const std::vector<float> x = random_floats(nest_iterations, 1);
  std::vector<float> sums((nest_rows + 1) * nest_columns, 0.0f), in_order = matrix_to_sweep(), exchanged = in_order,
                                                                 skewed = in_order;
  std::vector<float> stored = random_floats(skewed_numbers(nest_rows, nest_columns), 2);
  const float own = x[1], above = x[2];
  return sample_interleaved(
      {timed("sums", [&] { running_sums(x.data(), sums.data(), nest_rows, nest_columns); }),
       timed("sums exchanged", [&] { running_sums_exchanged(x.data(), sums.data(), nest_rows, nest_columns); }),
       timed("sweep", [&] { sweep(in_order.data(), nest_rows, nest_columns); }),
       timed("sweep exchanged", [&] { sweep_exchanged(exchanged.data(), nest_rows, nest_columns); }),
       timed("sweep skewed", [&] { sweep_skewed(skewed.data(), nest_rows, nest_columns); }),
       timed("sweep stored skewed", [&] { sweep_stored_skewed(stored.data(), nest_rows, nest_columns); }),
       timed("mixtures", [&] { keep(mixtures(nest_iterations, 0, own, above)); })},
      plan);
}

/// Arrays of random numbers that begin at cache lines, but at different offsets in their pages. With equal offsets, the
/// processor would mistake a store for one to the array that is read next.
class StaggeredArrays {
 public:
  /// \param most  numbers in the longest array
  StaggeredArrays(std::size_t arrays, std::size_t most)
      : step_(most + 16 + (16 - most % 16)), memory_(arrays * step_ * sizeof(float), Pages::huge) {
    fill_random(memory_.as<float>(), 3);
  }
  float* operator[](std::size_t array) const { return memory_.as<float>().data() + array * step_; }

 private:
  std::size_t step_;
  Buffer memory_;
};

/// Times one call with and without each permission, and the same number of independent additions, of numbers and of
/// vectors.
Sampling time_permissions(const Permissions& permissions, const Plan& plan) {
  const Pinned pinned;
  constexpr std::size_t count = permission_numbers;
  const StaggeredArrays near(9, count + 1), far(3, product_width * product_width);
  for (std::size_t i = 0; i < count; ++i) {
    near[4][i] = std::cos(static_cast<float>(i));
    near[5][i] = std::sin(static_cast<float>(i));
  }
  const auto smooth = [&](Smooth* run) { return [&, run] { run(near[6], near[7], count); }; };
  const auto rotate = [&](Rotate* run) {
    return [&, run] { run(near[0], near[1], near[2], near[3], near[4], near[5], count); };
  };
  const auto dot = [&](Dot* run) { return [&, run] { keep(run(near[7], near[8], count)); }; };
  const auto product = [&](Product* run) { return [&, run] { run(far[0], far[1], far[2]); }; };
  std::vector<Variant> variants = {timed("smooth", smooth(permissions.smooth)),
                                   timed("smooth restrict", smooth(permissions.smooth_restrict)),
                                   timed("rotate", rotate(permissions.rotate)),
                                   timed("rotate restrict", rotate(permissions.rotate_restrict)),
                                   timed("dot", dot(permissions.dot)),
                                   timed("dot reordered", dot(permissions.dot_reordered)),
                                   timed("product jki", product(permissions.product_jki)),
                                   timed("product ijk", product(permissions.product_ijk)),
                                   timed("product ikj", product(permissions.product_ikj)),
                                   timed("additions one by one", [] { add_one_by_one(count); }),
                                   timed("additions in vectors", [] { add_in_vectors(count); })};
  if (permissions.can_exchange()) {
    variants.push_back(timed("product ijk exchanged", product(permissions.product_ijk_exchanged)));
    variants.push_back(timed("product ijk both", product(permissions.product_ijk_both)));
  }
  return sample_interleaved(variants, plan);
}

const Transformation exchange = permutation({1, 0});

// ---- Results of the dependence test ----

void add_verdicts(Lab& lab) {
  const Verdicts verdicts = judge_random_nests(lab.quick() ? 2000 : 10000);
  lab.simulated("orders_allowed_wrongly", as_double(verdicts.allowed_wrongly));
  lab.simulated("orders_found_share", as_double(verdicts.allowed) / as_double(verdicts.harmless));
}

void show_nests(Lab& lab) {
  const auto n = static_cast<std::int64_t>(nest_rows);
  Table table = {"What the dependence test says", {"nest", "distances", "exchange", "wavefronts"}, {}};
  const auto add = [&](const char* name, const LoopNest& nest) {
    const std::vector<Dependence> found = dependences(nest);
    std::string distances;
    for (const Dependence& dependence : found) distances += (distances.empty() ? "" : "; ") + text(dependence);
    const auto verdict = [&](const Transformation& order) {
      return is_legal(found, order) ? (is_parallel(found, order, 1) ? "allowed, inner loop parallel" : "allowed")
                                    : "no";
    };
    table.rows.push_back({name, distances, verdict(exchange), verdict(wavefronts())});
  };
  add("running sums", running_sums_nest(n, n));
  add("sweep", sweep_nest(n, n));
  lab.show(table);
}

// ---- A polyhedron small enough to draw ----

/// Adds the sweep's iterations, and an arrow for each dependence: start and end points alternate. Arrows that an
/// exchange of the loops would reverse are in a separate series. In the skewed version, x is the wavefront.
void add_polyhedron(Lab& lab) {
  const LoopNest nest = sweep_nest(5, 7);
  const std::set<LoopVector> distances = enumerated_distances(nest);
  const auto inside = [&](const LoopVector& at) {
    return at[0] < nest.extents[0] && at[1] >= 0 && at[1] < nest.extents[1];
  };
  for (bool skewed : {false, true}) {
    const std::string id = skewed ? "polyhedron_skewed" : "polyhedron";
    const Axis x = {skewed ? "wavefront" : "column", "1"}, y = {"row", "1"};
    const auto add_point = [&](Series& series, const LoopVector& at, const std::string& label) {
      const LoopVector place = skewed ? then(wavefronts(), exchange) * at : at;
      series.points.emplace_back(static_cast<double>(place[1]), static_cast<double>(place[0]), label);
    };
    Series iterations = {id, "iterations", Kind::modelled, x, y};
    Series kept = {id + "_kept", "kept by an exchange", Kind::modelled, x, y};
    Series turned = {id + "_turned", "turned round by an exchange", Kind::modelled, x, y};
    visit_iterations(nest, [&](const LoopVector& at) {
      add_point(iterations, at, text(at));
      for (const LoopVector& distance : distances) {
        const LoopVector to = {at[0] + distance[0], at[1] + distance[1]};
        if (!inside(to)) continue;
        Series& arrows = is_positive(exchange * distance) ? kept : turned;
        add_point(arrows, at, text(at) + " to " + text(to));
        add_point(arrows, to, text(to) + " from " + text(at));
      }
    });
    for (Series* series : {&iterations, &kept, &turned}) lab.add(std::move(*series));
  }
  const double all = as_double(nest_iterations), fronts = as_double(nest_columns + 2 * (nest_rows - 1));
  lab.modelled("sweep_iterations_per_wavefront", all / fronts);
}

// ---- Allowed, not allowed, and made to be ----

void add_wrong_answers(Lab& lab) {
  const Difference exchanged = compare_with_sweep(sweep_exchanged);
  lab.modelled("sweep_numbers", as_double(nest_iterations));
  lab.derived("sweep_exchanged_wrong", as_double(exchanged.wrong));
  lab.modelled("sweep_example_row", as_double(exchanged.row));
  lab.modelled("sweep_example_column", as_double(exchanged.column));
  lab.modelled("sweep_example_right", exchanged.right);
  lab.modelled("sweep_example_exchanged", exchanged.given);
}

void add_speedup(Lab& lab, const Sampling& sampling, const char* id, const char* before, const char* after) {
  lab.add(Value(id, sampling.ratio(before, after), "1"));
}

void add_nest_times(Lab& lab, const Sampling& sampling) {
  add_speedup(lab, sampling, "sums_exchanged_speedup", "sums", "sums exchanged");
  add_speedup(lab, sampling, "sweep_exchanged_speedup", "sweep", "sweep exchanged");
  add_speedup(lab, sampling, "sweep_skewed_speedup", "sweep", "sweep skewed");
  add_speedup(lab, sampling, "sweep_stored_skewed_speedup", "sweep", "sweep stored skewed");
  // In its original order, the loop is one chain: each iteration waits for the previous one.
  add_speedup(lab, sampling, "sweep_over_chain", "sweep", "mixtures");
}

// ---- Speedup through permissions ----

void add_permission_times(Lab& lab, const Permissions& permissions, const Sampling& sampling) {
  lab.modelled("vector_lanes", as_double(permission_lanes));
  add_speedup(lab, sampling, "restrict_two_arrays_speedup", "smooth", "smooth restrict");
  add_speedup(lab, sampling, "restrict_six_arrays_speedup", "rotate", "rotate restrict");
  add_speedup(lab, sampling, "reordered_dot_speedup", "dot", "dot reordered");
  add_speedup(lab, sampling, "slow_order_over_best", "product jki", "product ikj");
  if (permissions.can_exchange()) {
    add_speedup(lab, sampling, "interchange_both_speedup", "product ijk", "product ijk both");
  } else {
    lab.note("the compiler does not know -floop-interchange: what it gains by it is missing");
  }
  const double flops = 2 * as_double(product_rows) * as_double(product_width) * as_double(product_width);
  lab.add(Value("product_ijk_gflops", rate(flops, sampling.of("product ijk")), "GFLOP/s"));
  lab.add(Value("product_ikj_gflops", rate(flops, sampling.of("product ikj")), "GFLOP/s"));
}

void add_changed_results(Lab& lab, const Permissions& permissions) {
  const DotErrors errors = dot_errors(permissions, 1000);
  lab.modelled("permission_numbers", as_double(permission_numbers));
  lab.derived("reordered_dot_changed_share", errors.changed_share);
  lab.add(Value("dot_true_error", errors.in_order, "1"));
  lab.add(Value("reordered_dot_true_error", errors.reordered, "1"));
  if (permissions.can_exchange()) {
    lab.derived("interchange_both_changed",
                as_double(changed_products(permissions.product_ijk, permissions.product_ijk_both)));
  }
  lab.derived("restrict_overlap_wrong", as_double(wrong_when_overlapping(permissions, permission_numbers)));
}

/// Adds each permission's speedup, measured and expected. A chain becomes as many chains as a vector has lanes, each as
/// slow as before. A loop that is limited by the units gains the ratio of vector to scalar additions, which is smaller
/// if a vector takes two steps. The gain is 1 if the compiler needs no permission, or needs further ones.
void add_gains(Lab& lab, const Permissions& permissions, const Sampling& sampling) {
  const Axis permission_axis = {"permission", "1"}, gain_axis = {"times as fast", "1"};
  Series measured = {"permission_gains", "measured", Kind::measured, permission_axis, gain_axis};
  Series predicted = {"permission_gains_predicted", "expected", Kind::modelled, permission_axis, gain_axis};
  const auto add = [&](const std::string& label, const std::string& without, const std::string& with, double expected) {
    const double place = as_double(measured.points.size() + 1);
    measured.points.emplace_back(place, sampling.ratio(without, with), label);
    predicted.points.emplace_back(place, expected, label);
  };
  const double chains = as_double(permission_lanes);
  const double units = chains * sampling.ratio("additions one by one", "additions in vectors").median;
  add("restrict, two arrays", "smooth", "smooth restrict", 1);
  add("restrict, six arrays", "rotate", "rotate restrict", units);
  add("additions in any order", "dot", "dot reordered", chains);
  if (permissions.can_exchange()) add("may exchange: product", "product ijk", "product ijk exchanged", 1);
  for (Series* series : {&measured, &predicted}) lab.add(std::move(*series));
}

}  // namespace

void measure_legality(Lab& lab) {
  add_verdicts(lab);
  show_nests(lab);
  add_polyhedron(lab);
  add_wrong_answers(lab);
  add_nest_times(lab, time_nests(lab.plan(3)));
  try {
    const Permissions permissions = build_permissions("", libraries_of_this_run());
    add_changed_results(lab, permissions);
    const Sampling sampling = time_permissions(permissions, lab.plan(2));
    add_permission_times(lab, permissions, sampling);
    add_gains(lab, permissions, sampling);
  } catch (const BuildError& error) {
    lab.note(std::string("what permission to reorder buys is missing: ") + error.what());
  }
}

}  // namespace hf::compilers
