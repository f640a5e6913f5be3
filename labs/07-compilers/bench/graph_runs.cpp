#include "07-compilers/bench/graph_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/chain_runs.hpp"
#include "07-compilers/bench/roofs.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/fusion/fusion_graphs.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "common/rounded.hpp"
#include "harness/as_double.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t checked_rows = 3;

/// So that numbers stay about as large as they are: a product adds up as many as its second operand has rows.
float spread_of(const Graph& graph, std::size_t input) {
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::matmul && node.operands[1].node == input) {
      return static_cast<float>(std::sqrt(3 / as_double(graph.nodes()[input].shape.rows)));
    }
  }
  return 1;
}

bool is_compiled(Way way) { return way != Way::decomposed && way != Way::operators; }

CompileOptions options_of(Way way, const std::filesystem::path& cache) {
  CompileOptions options;
  options.cache = cache;
  if (way == Way::compiled_ordinary) options.stores = Stores::ordinary;
  if (way == Way::compiled_nontemporal) options.stores = Stores::nontemporal;
  return options;
}

}  // namespace

const char* name(Way way) {
  switch (way) {
    case Way::decomposed: return "decomposed";
    case Way::operators: return "by operators";
    case Way::compiled: return "compiled";
    case Way::compiled_ordinary: return "compiled, ordinary stores";
    case Way::compiled_nontemporal: return "compiled, non-temporal stores";
  }
  return "";
}

std::vector<GraphCase> all_graph_cases(std::size_t rows) {
  constexpr std::size_t columns = 4096, width = 768, outputs = 4 * width, head_width = 64;
  const auto chain = [](std::size_t r) { return chain_graph({r, columns}); };
  const auto softmax = [](std::size_t r) { return softmax_graph({r, columns}); };
  const auto block = [](std::size_t r) { return block_graph({r, width, outputs}); };
  const auto without_dropout = [](std::size_t r) { return block_graph({r, width, outputs, 0}); };
  const auto norm = [](std::size_t r) { return norm_graph({r, outputs}); };
  const auto norm_alone = [](std::size_t r) { return norm_graph({r, outputs}, 0); };
  const auto attention = [rows](std::size_t r) { return attention_graph(rows, head_width, r); };
  const std::vector<Way> stores = {Way::operators, Way::compiled, Way::compiled_ordinary, Way::compiled_nontemporal},
                         taken_apart = {Way::decomposed, Way::operators, Way::compiled},
                         both = {Way::operators, Way::compiled};
  return {{"elementwise", "relu · 0.5 + 1", chain, chain, rows, stores},
          {"softmax", "softmax", softmax, softmax, rows, taken_apart},
          {"block", "layer norm, linear, GELU, dropout", block, without_dropout, rows, both},
          {"norm", "layer norm, GELU, dropout", norm, norm_alone, rows, both},
          {"attention", "attention", attention, attention, rows, both}};
}

GraphRuns::GraphRuns(GraphCase which, std::filesystem::path cache)
    : case_(std::move(which)), cache_(std::move(cache)), graph_(case_.graph(case_.rows)) {
  for (const Way way : case_.ways) {
    if (is_compiled(way)) {
      compiled_.emplace(way, Compiled(graph_, options_of(way, cache_)));
    } else {
      eager_.emplace(way, Eager(way == Way::decomposed ? decompose(graph_) : graph_));
    }
  }
  for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
    if (graph_.nodes()[i].op != Op::input) continue;
    memory_.emplace_back(graph_.nodes()[i].shape.numbers() * sizeof(float), Pages::huge);
    fill_random(memory_.back().as<float>(), memory_.size(), spread_of(graph_, i));
    inputs_.push_back(memory_.back().as<float>().data());
  }
  memory_.emplace_back(result_shape().numbers() * sizeof(float), Pages::huge);
  check(case_.graph(checked_rows));
}

void GraphRuns::run(Way way) {
  float* result = memory_.back().as<float>().data();
  if (is_compiled(way)) return compiled_.at(way).run(inputs_, result);
  eager_.at(way).run(inputs_, result);
}

/// The first rows of the result depend on the first rows of the first input only, so a smaller graph says what they are.
void GraphRuns::check(const Graph& first_rows) {
  const std::vector<Rounded> references = rounded_reference(first_rows, inputs_);
  for (const Way way : case_.ways) {
    const std::span<float> result = memory_.back().as<float>();
    std::fill(result.begin(), result.end(), NAN);
    run(way);
    const double worst = worst_error_share(result.first(references.size()), references);
    if (!(worst <= 1)) throw std::runtime_error(id(way) + ": a result is wrong");
  }
}

std::vector<Variant> GraphRuns::variants(Cores cores) {
  std::vector<Variant> variants;
  for (const Way way : case_.ways) {
    Variant variant = timed(id(way, cores), [this, way] { run(way); });
    variants.push_back(cores == Cores::one ? pinned(std::move(variant)) : std::move(variant));
  }
  return variants;
}

std::string GraphRuns::id(Way way, Cores cores) const { return on(cores, case_.id + ", " + name(way)); }

Work GraphRuns::work(Way way) const {
  return is_compiled(way) ? compiled_.at(way).work() : eager_work(eager_.at(way).graph());
}

double GraphRuns::least_seconds(Way way, const TwoRoofs& machine) const {
  if (is_compiled(way)) return machine.seconds(compiled_.at(way).work());
  const Graph& graph = eager_.at(way).graph();
  double seconds = 0;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    seconds += machine.seconds(compilers::work(graph, {i}));
  }
  return seconds;
}

double GraphRuns::product_seconds(const TwoRoofs& machine) const {
  double seconds = 0;
  for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
    if (graph_.nodes()[i].op == Op::matmul) seconds += machine.seconds(compilers::work(graph_, {i}));
  }
  return seconds;
}

bool GraphRuns::has_product() const {
  return std::ranges::any_of(graph_.nodes(), [](const Node& node) { return node.op == Op::matmul; });
}

std::vector<float> GraphRuns::compared_result() const {
  const Graph graph = case_.compared(case_.rows);
  std::vector<float> result(graph.result_shape().numbers());
  Compiled(graph, options_of(Way::compiled, cache_)).run(inputs_, result.data());
  return result;
}

}  // namespace hf::compilers
