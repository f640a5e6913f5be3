// Random graphs, compiled: as close to their definition as single precision is.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "common/loop_team.hpp"
#include "common/rounded.hpp"
#include "graphs.hpp"
#include "harness/scratch_folder.hpp"
#include "random_graphs.hpp"

using namespace hf;
using namespace hf::compilers;

namespace {

constexpr std::uint64_t graphs = 48;

double worst(Compiled& compiled, const Graph& graph, std::size_t rows) {
  const Inputs inputs(graph);
  std::vector<float> result(graph.result_shape().numbers(), NAN);
  compiled.run(inputs.pointers(), result.data(), rows);
  return worst_error_share(result, rounded_reference(graph, inputs.pointers()));
}

Stores stores_of(std::uint64_t seed) { return seed % 2 == 0 ? Stores::ordinary : Stores::nontemporal; }

}  // namespace

TEST_CASE("A random graph, compiled, is as close to its definition as single precision is") {
  const ScratchFolder cache;
  std::size_t loops = 0, operators = 0;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = RandomGraph(seed).grow(2 + seed % 12);
    CAPTURE(seed);
    CAPTURE(text(graph));
    Compiled compiled(graph, {.stores = stores_of(seed), .seconds = 600, .cache = cache.path()});
    CHECK(compiled.remark() == "");
    REQUIRE(compiled.is_compiled());
    CHECK(worst(compiled, graph, graph.result_shape().rows) <= 1);
    const OneCore alone;
    CHECK(worst(compiled, graph, graph.result_shape().rows) <= 1);
    loops += compiled.loops();
    const Graph simple = decompose(graph);
    for (const Node& node : simple.nodes()) operators += node.op != Op::input && node.op != Op::constant;
  }
  CHECK(loops < operators / 2);  // something was fused
}

TEST_CASE("A random graph, compiled for any number of rows, is right for each, or says why it was not") {
  const ScratchFolder cache;
  std::size_t compiled_graphs = 0;
  for (std::uint64_t seed = graphs; seed < graphs + 24; ++seed) {
    const Graph graph = RandomGraph(seed).grow(2 + seed % 8);
    CAPTURE(seed);
    CAPTURE(text(graph));
    Compiled compiled(graph, {.stores = stores_of(seed), .any_rows = true, .seconds = 600, .cache = cache.path()});
    CHECK(compiled.is_compiled() == compiled.remark().empty());
    CHECK(worst(compiled, graph, 0) <= 1);
    if (!compiled.is_compiled()) continue;
    ++compiled_graphs;
    const FusionPlan plan = make_plan(graph, true, 0);
    for (std::size_t rows : {1, 5, 300}) {
      CAPTURE(rows);
      CHECK(worst(compiled, with_rows(plan, rows), rows) <= 1);
    }
  }
  CHECK(compiled_graphs > 12);
}
