// Times a sweep in other orders, and permissions that a compiler needs.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/check/changed_results.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/legality/permissions.hpp"
#include "07-compilers/kernels/legality/sweep.hpp"
#include "common/random.hpp"
#include "harness/measure/memory.hpp"

namespace hf::compilers {
namespace {

/// Times one call of each order of the sweep.
Sampling time_sweeps(const Plan& plan) {
  const Pinned pinned;
  std::vector<float> in_order = matrix_to_sweep(), exchanged = in_order, skewed = in_order;
  return sample_interleaved({timed("sweep", [&] { sweep(in_order.data(), swept_rows, swept_columns); }),
                             timed("exchanged", [&] { sweep_exchanged(exchanged.data(), swept_rows, swept_columns); }),
                             timed("skewed", [&] { sweep_skewed(skewed.data(), swept_rows, swept_columns); })},
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

void add_speedup(Lab& lab, const Sampling& sampling, const char* id, const char* before, const char* after) {
  lab.add(Value(id, sampling.ratio(before, after), "1"));
}

void add_sweeps(Lab& lab) {
  lab.modelled("sweep_numbers", as_double(swept_numbers));
  lab.derived("sweep_exchanged_wrong", as_double(wrong_after(sweep_exchanged)));
  const Sampling sampling = time_sweeps(lab.plan(3));
  add_speedup(lab, sampling, "sweep_exchanged_speedup", "sweep", "exchanged");
  add_speedup(lab, sampling, "sweep_skewed_speedup", "sweep", "skewed");
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
  add_sweeps(lab);
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
