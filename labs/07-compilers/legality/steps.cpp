#include "07-compilers/legality/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/compiler/build.hpp"
#include "07-compilers/legality/dependence_test.hpp"
#include "07-compilers/legality/legality_runs.hpp"
#include "07-compilers/legality/licences.hpp"
#include "07-compilers/legality/loop_nest.hpp"
#include "07-compilers/legality/nest_kernels.hpp"
#include "07-compilers/legality/random_nests.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

const Transformation as_written = permutation({0, 1}), exchange = permutation({1, 0});

// ---- What the test says ----

void add_verdicts(Lab& lab) {
  const Verdicts verdicts = judge_random_nests(lab.quick() ? 2000 : 10000);
  lab.modelled("random_orders", as_double(verdicts.all()));
  lab.modelled("random_orders_harmful", as_double(verdicts.harmful));
  lab.simulated("orders_allowed_wrongly", as_double(verdicts.allowed_wrongly));
  lab.simulated("orders_found_share", as_double(verdicts.allowed) / as_double(verdicts.harmless));
}

/// Each nest, its distances, and what is allowed.
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

Point place(const LoopVector& at, const std::string& label) {
  return {static_cast<double>(at[1]), static_cast<double>(at[0]), label};
}

LoopVector sum(const LoopVector& a, const LoopVector& b) {
  LoopVector result;
  for (std::size_t loop = 0; loop < a.size(); ++loop) result.push_back(a[loop] + b[loop]);
  return result;
}

/// The sweep's iterations, and an arrow for each dependence between two of them: every second point is an arrow's end.
/// Arrows that an exchange of the loops would turn round are apart. Skewed, the wavefronts count to the right.
void add_polyhedron(Lab& lab) {
  const LoopNest nest = sweep_nest(5, 7);
  const std::set<LoopVector> distances = enumerated_distances(nest);
  const auto inside = [&](const LoopVector& at) {
    return at[0] < nest.extents[0] && at[1] >= 0 && at[1] < nest.extents[1];
  };
  for (bool skewed : {false, true}) {
    const std::string name = skewed ? "polyhedron_skewed" : "polyhedron";
    const Axis x = {skewed ? "wavefront" : "column", "1"}, y = {"row", "1"};
    const auto drawn = [&](const LoopVector& at) { return skewed ? then(wavefronts(), exchange) * at : at; };
    Series iterations = {name, "iterations", Kind::modelled, x, y};
    Series kept = {name + "_kept", "kept by an exchange", Kind::modelled, x, y};
    Series turned = {name + "_turned", "turned round by an exchange", Kind::modelled, x, y};
    visit_iterations(nest, [&](const LoopVector& at) {
      iterations.points.push_back(place(drawn(at), text(at)));
      for (const LoopVector& distance : distances) {
        const LoopVector to = sum(at, distance);
        if (!inside(to)) continue;
        Series& arrows = is_positive(exchange * distance) ? kept : turned;
        arrows.points.push_back(place(drawn(at), text(at) + " to " + text(to)));
        arrows.points.push_back(place(drawn(to), text(to) + " from " + text(at)));
      }
    });
    for (Series* series : {&iterations, &kept, &turned}) lab.add(std::move(*series));
  }
  const double all = as_double(nest_iterations), fronts = as_double(nest_columns + 2 * (nest_rows - 1));
  lab.modelled("sweep_wavefronts", fronts);
  lab.modelled("sweep_iterations_per_wavefront", all / fronts);
}

// ---- Allowed, not allowed, and made to be ----

void add_wrong_answers(Lab& lab) {
  const Difference exchanged = compare_with_sweep(sweep_exchanged), skewed = compare_with_sweep(sweep_skewed);
  lab.modelled("sweep_numbers", as_double(nest_iterations));
  lab.derived("sweep_exchanged_wrong", as_double(exchanged.wrong));
  lab.derived("sweep_exchanged_wrong_share");
  lab.derived("sweep_skewed_wrong", as_double(skewed.wrong));
  lab.modelled("sweep_example_row", as_double(exchanged.row));
  lab.modelled("sweep_example_column", as_double(exchanged.column));
  lab.modelled("sweep_example_right", exchanged.right);
  lab.modelled("sweep_example_exchanged", exchanged.given);
}

void add_nest_times(Lab& lab, const Sampling& sampling) {
  Table table = {"Loops in other orders", {"loops", "ns for each iteration", "times as fast"}, {}};
  const auto nanoseconds = [&](const char* id) { return times(sampling.of(id), 1e9 / as_double(nest_iterations)); };
  const auto add = [&](const char* variant, const char* from, const std::string& id) {
    lab.add(Value(id + "_ns", nanoseconds(variant), "ns"));
    if (variant != from) lab.add(Value(id + "_speedup", sampling.ratio(from, variant), "1"));
    table.rows.push_back(
        {variant, number_text(nanoseconds(variant).median), number_text(sampling.ratio(from, variant).median)});
  };
  const char *const sums = "sums", *const swept = "sweep";
  add(sums, sums, "sums");
  add("sums exchanged", sums, "sums_exchanged");
  add(swept, swept, "sweep");
  add("sweep exchanged", swept, "sweep_exchanged");
  add("sweep skewed", swept, "sweep_skewed");
  add("sweep stored skewed", swept, "sweep_stored_skewed");
  lab.show(table);
  // As they are written down, both loops are one chain: an iteration waits for the one before.
  lab.add(Value("sums_chain_ns", nanoseconds("additions"), "ns"));
  lab.add(Value("sweep_chain_ns", nanoseconds("mixtures"), "ns"));
  lab.add(Value("sums_over_chain", sampling.ratio("sums", "additions"), "1"));
  lab.add(Value("sweep_over_chain", sampling.ratio("sweep", "mixtures"), "1"));
}

// ---- Leave ----

void add_licence_times(Lab& lab, const Licences& licences, const Sampling& sampling) {
  lab.modelled("vector_lanes", as_double(lanes));
  lab.add(Value("vector_units_gain",
                times(sampling.ratio("additions one by one", "additions in vectors"), as_double(lanes)), "1"));
  const auto speedup = [&](const char* id, const char* without, const char* with) {
    lab.add(Value(id, sampling.ratio(without, with), "1"));
  };
  speedup("restrict_two_arrays_speedup", "smooth", "smooth restrict");
  speedup("restrict_six_arrays_speedup", "rotate", "rotate restrict");
  speedup("reordered_dot_speedup", "dot", "dot reordered");
  speedup("slow_order_over_best", "product jki", "product ikj");
  if (licences.can_exchange()) {
    speedup("interchange_alone_speedup", "product ijk", "product ijk exchanged");
    speedup("interchange_both_speedup", "product ijk", "product ijk both");
    speedup("compiler_exchange_speedup", "column sums", "column sums exchanged");
  } else {
    lab.note("the compiler does not know -floop-interchange: what it gains by it is missing");
  }
  const double flops = 2 * as_double(product_rows) * as_double(product_width) * as_double(product_width);
  for (const char* order : {"jki", "ijk", "ikj"}) {
    const auto gflops = [&](double seconds) { return flops / seconds * 1e-9; };
    const std::string id = std::string("product ") + order;
    lab.add(Value(std::string("product_") + order + "_gflops", transform(sampling.of(id), gflops), "GFLOP/s"));
  }
}

void add_changed_results(Lab& lab, const Licences& licences) {
  const DotErrors errors = dot_errors(licences, 1000);
  lab.modelled("licence_numbers", as_double(licence_numbers));
  lab.derived("reordered_dot_changed_share", errors.changed_share);
  lab.add(Value("dot_true_error", errors.in_order, "1"));
  lab.add(Value("reordered_dot_true_error", errors.reordered, "1"));
  if (licences.can_exchange()) {
    lab.derived("interchange_both_changed",
                as_double(changed_products(licences.product_ijk, licences.product_ijk_both)));
  }
  lab.derived("restrict_overlap_wrong", as_double(wrong_when_overlapping(licences, licence_numbers)));
}

/// How many times as fast each order or licence makes its loop, beside what was expected of it. A chain becomes as many chains
/// as a vector has lanes, each as slow as before. A loop that waits for the units gains what those add in vectors over what
/// they add one by one, which is less where a vector takes two turns. Nothing is gained where the compiler needs no permission,
/// or has not enough of it.
void add_gains(Lab& lab) {
  struct Gain {
    const char *value, *label;
    double expected;  ///< 0 where there is no simple expectation
  };
  const auto value_of = [&](const char* id) {
    const auto is_it = [&](const Value& value) { return value.id == id; };
    const auto& values = lab.results().values;
    return std::find_if(values.begin(), values.end(), is_it)->value;
  };
  const double chains = as_double(lanes);
  const double units = lab.has("vector_units_gain") ? value_of("vector_units_gain").median : 0;
  const Gain gains[] = {{"sums_exchanged_speedup", "running sums, exchanged", 0},
                        {"sweep_skewed_speedup", "sweep, skewed", 0},
                        {"sweep_stored_skewed_speedup", "and stored skewed", 0},
                        {"restrict_two_arrays_speedup", "restrict, two arrays", 1},
                        {"restrict_six_arrays_speedup", "restrict, six arrays", units},
                        {"reordered_dot_speedup", "additions in any order", chains},
                        {"compiler_exchange_speedup", "may exchange: sums", 0},
                        {"interchange_alone_speedup", "may exchange: product", 1},
                        {"interchange_both_speedup", "and add in any order", 0}};
  const Axis licence = {"licence", "1"}, gain_axis = {"times as fast", "1"};
  Series measured = {"licence_gains", "measured", Kind::measured, licence, gain_axis};
  Series predicted = {"licence_gains_predicted", "expected", Kind::modelled, licence, gain_axis};
  double place = 0;
  for (const Gain& gain : gains) {
    ++place;
    if (!lab.has(gain.value)) continue;
    measured.points.emplace_back(place, value_of(gain.value), gain.label);
    if (gain.expected > 0) predicted.points.emplace_back(place, gain.expected, gain.label);
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
}

}  // namespace

void measure_legality(Lab& lab) {
  add_verdicts(lab);
  show_nests(lab);
  add_polyhedron(lab);
  add_wrong_answers(lab);
  add_nest_times(lab, time_nests(lab.plan(3)));
  try {
    const Licences licences = build_licences("", default_cache());
    add_changed_results(lab, licences);
    add_licence_times(lab, licences, time_licences(licences, lab.plan(2)));
  } catch (const BuildError& error) {
    lab.note(std::string("what leave to reorder buys is missing: ") + error.what());
  }
  add_gains(lab);
}

}  // namespace hf::compilers
