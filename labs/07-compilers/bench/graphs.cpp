// Graphs run in every strategy, and the copies that are their roof.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/bench/fusion.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/fusion/fusion_graphs.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "common/rounded.hpp"
#include "harness/as_double.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

std::string on(Cores cores, const std::string& name) { return cores == Cores::all ? name : name + ", one core"; }

std::vector<Variant> on(Cores cores, std::vector<Variant> variants) {
  for (Variant& variant : variants) {
    variant.id = on(cores, variant.id);
    if (cores == Cores::one) variant = pinned(std::move(variant));
  }
  return variants;
}

// ---- Copying ----

namespace {

constexpr roofline::Stream streams[] = {roofline::Stream::copy, roofline::Stream::copy_nontemporal};

}  // namespace

CopyRuns::CopyRuns(std::size_t bytes)
    : set_(roofline::kernel_sets(probe_machine()).back()), bytes_(bytes), memory_(team_, bytes) {}

std::vector<Variant> CopyRuns::variants(Cores cores) {
  std::vector<Variant> variants;
  for (const roofline::Stream stream : streams) {
    const std::size_t share = bytes_ / static_cast<std::size_t>(team_.size());
    variants.push_back(cores == Cores::one ? roofline::one_thread(*set_, stream, memory_, bytes_)
                                           : roofline::all_threads(*set_, stream, memory_, share, team_));
    variants.back().id = roofline::id(stream);
  }
  return on(cores, std::move(variants));
}

double CopyRuns::program_bytes(roofline::Stream stream, Cores cores) const {
  if (cores == Cores::one) return roofline::pass_bytes(*set_, stream, bytes_);
  const auto threads = static_cast<std::size_t>(team_.size());
  return as_double(threads) * roofline::pass_bytes(*set_, stream, bytes_ / threads);
}

Estimate CopyRuns::traffic_gbs(const Sampling& sampling, roofline::Stream stream, Cores cores) const {
  const double allocated = stream == roofline::Stream::copy ? 1.5 : 1;  // a third stream: the lines written are read
  const double bytes = allocated * program_bytes(stream, cores);
  return rate(bytes, sampling.of(id(stream, cores)));
}

std::vector<Variant> Roofs::variants() {
  std::vector<Variant> variants = copies_.variants(Cores::all);
  variants.push_back(peak_.variant);
  return variants;
}

TwoRoofs Roofs::roofs(const Sampling& sampling) const {
  const double peak = peak_.flops / sampling.of(peak_.variant.id).median * 1e-9;
  const auto gbs = [&](roofline::Stream copy) { return copies_.traffic_gbs(sampling, copy, Cores::all).median; };
  return {{peak, gbs(roofline::Stream::copy)}, {peak, gbs(roofline::Stream::copy_nontemporal)}};
}

// ---- Graphs ----

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

bool is_compiled(Strategy strategy) { return strategy != Strategy::decomposed && strategy != Strategy::operators; }

CompileOptions options_of(Strategy strategy, const std::filesystem::path& cache) {
  CompileOptions options;
  options.cache = cache;
  if (strategy == Strategy::compiled_ordinary) options.stores = Stores::ordinary;
  if (strategy == Strategy::compiled_nontemporal) options.stores = Stores::nontemporal;
  return options;
}

}  // namespace

const char* name(Strategy strategy) {
  switch (strategy) {
    case Strategy::decomposed: return "decomposed";
    case Strategy::operators: return "by operators";
    case Strategy::compiled: return "compiled";
    case Strategy::compiled_ordinary: return "compiled, ordinary stores";
    case Strategy::compiled_nontemporal: return "compiled, non-temporal stores";
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
  const std::vector<Strategy> stores = {Strategy::operators, Strategy::compiled, Strategy::compiled_ordinary,
                                        Strategy::compiled_nontemporal},
                              taken_apart = {Strategy::decomposed, Strategy::operators, Strategy::compiled},
                              both = {Strategy::operators, Strategy::compiled};
  return {{"elementwise", "relu · 0.5 + 1", chain, chain, rows, stores},
          {"softmax", "softmax", softmax, softmax, rows, taken_apart},
          {"block", "layer norm, linear, GELU, dropout", block, without_dropout, rows, both},
          {"norm", "layer norm, GELU, dropout", norm, norm_alone, rows, both},
          {"attention", "attention", attention, attention, rows, both}};
}

GraphRuns::GraphRuns(GraphCase which, std::filesystem::path cache)
    : case_(std::move(which)), cache_(std::move(cache)), graph_(case_.graph(case_.rows)) {
  for (const Strategy strategy : case_.strategies) {
    if (is_compiled(strategy)) {
      compiled_.emplace(strategy, Compiled(graph_, options_of(strategy, cache_)));
    } else {
      eager_.emplace(strategy, Eager(strategy == Strategy::decomposed ? decompose(graph_) : graph_));
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

void GraphRuns::run(Strategy strategy) {
  float* result = memory_.back().as<float>().data();
  if (is_compiled(strategy)) return compiled_.at(strategy).run(inputs_, result);
  eager_.at(strategy).run(inputs_, result);
}

/// The first rows of the result depend on the first rows of the first input only, so a smaller graph says what they are.
void GraphRuns::check(const Graph& first_rows) {
  const std::vector<Rounded> references = rounded_reference(first_rows, inputs_);
  for (const Strategy strategy : case_.strategies) {
    const std::span<float> result = memory_.back().as<float>();
    std::fill(result.begin(), result.end(), NAN);
    run(strategy);
    const double worst = worst_error_share(result.first(references.size()), references);
    if (!(worst <= 1)) throw std::runtime_error(id(strategy) + ": a result is wrong");
  }
}

std::vector<Variant> GraphRuns::variants(Cores cores) {
  std::vector<Variant> variants;
  for (const Strategy strategy : case_.strategies) {
    Variant variant = timed(id(strategy, cores), [this, strategy] { run(strategy); });
    variants.push_back(cores == Cores::one ? pinned(std::move(variant)) : std::move(variant));
  }
  return variants;
}

std::string GraphRuns::id(Strategy strategy, Cores cores) const { return on(cores, case_.id + ", " + name(strategy)); }

Work GraphRuns::work(Strategy strategy) const {
  return is_compiled(strategy) ? compiled_.at(strategy).work() : eager_work(eager_.at(strategy).graph());
}

double GraphRuns::least_seconds(Strategy strategy, const TwoRoofs& machine) const {
  if (is_compiled(strategy)) return machine.seconds(compiled_.at(strategy).work());
  const Graph& graph = eager_.at(strategy).graph();
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
  Compiled(graph, options_of(Strategy::compiled, cache_)).run(inputs_, result.data());
  return result;
}

}  // namespace hf::compilers
