// Times recompilation when a shape changes, and a program for any number of rows.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/models/graphs.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/scratch_folder.hpp"

namespace hf::compilers {
namespace {

float* numbers(const Buffer& buffer) { return buffer.as<float>().data(); }

/// Returns memory for a result, already written to once so that its pages exist before it is timed.
Buffer result_of(const Graph& graph) {
  Buffer buffer(graph.result_shape().numbers() * sizeof(float), Pages::huge);
  std::ranges::fill(buffer.as<float>(), 0.0f);
  return buffer;
}

/// Time of a program for any number of rows relative to one for exactly this number, from paired samples.
Estimate any_rows_over_exact(const Graph& graph, Plan plan) {
  plan.sample_seconds = 3e-3;  // several calls, because cores need milliseconds after a pause to join loops
  plan.warm_seconds = 3e-3;
  const std::size_t rows = graph.result_shape().rows;
  Compiled exact(graph), any(graph, {.any_rows = true});
  const GraphInputs inputs(graph);
  const Buffer result = result_of(graph);
  return sample_interleaved({timed("exact", [&] { exact.run(inputs.pointers(), numbers(result)); }),
                             timed("any", [&] { any.run(inputs.pointers(), numbers(result), rows); })},
                            plan)
      .ratio("any", "exact");
}

}  // namespace

/// Compiles and runs a graph, then calls it with more rows, for which it is compiled again. Each repetition starts with
/// nothing compiled.
void measure_new_shape(Lab& lab) {
  constexpr std::size_t width = 1024, rows = 1024, other_rows = 1536;
  const Graph graph = between_graph(rows, width), other = between_graph(other_rows, width);
  const GraphInputs inputs(other);
  const Buffer result = result_of(other);
  std::vector<double> seconds;
  for (int repetition = 0; repetition < (lab.quick() ? 2 : 5); ++repetition) {
    const ScratchFolder cold;
    Compiled first(graph, {.folder = cold.path()});
    if (!first.is_compiled()) return lab.incomplete("a new shape: " + first.remark());
    first.run(inputs.pointers(), numbers(result));
    const Variant call = timed(
        "with more rows", [&] { Compiled(other, {.folder = cold.path()}).run(inputs.pointers(), numbers(result)); });
    seconds.push_back(call.seconds(1));
    lab.tick();
  }
  lab.add(Value("recompile_call_ms", times(estimate(seconds), 1e3), "ms"));
  lab.add(Value("any_rows_over_exact", any_rows_over_exact(graph, lab.plan(2)), "1"));
}

}  // namespace hf::compilers
