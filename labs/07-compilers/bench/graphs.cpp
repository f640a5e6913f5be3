// Runs graphs in every strategy, and the copies that are their upper limit.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/fusion.hpp"
#include "kit/rounded.hpp"

namespace hf::compilers {

using roofline::Stream;

std::string on(Threads threads, const std::string& name) {
  return threads == Threads::all ? name : name + ", one core";
}

std::vector<Variant> on(Threads threads, std::vector<Variant> variants) {
  for (Variant& variant : variants) {
    variant.id = on(threads, variant.id);
    if (threads == Threads::one) variant = pinned(std::move(variant));
  }
  return variants;
}

// ---- Roofs ----

Roofs::Roofs(std::size_t bytes)
    : arithmetic_(team_),
      set_(roofline::stream_sets(probe_machine()).back()),
      bytes_(bytes),
      share_(bytes / static_cast<std::size_t>(team_.size())),
      memory_(team_, bytes) {}

std::vector<Variant> Roofs::copies(Threads threads) {
  std::vector<Variant> variants;
  for (const Stream stream : {Stream::copy, Stream::copy_nontemporal}) {
    variants.push_back(threads == Threads::one ? roofline::one_thread(*set_, stream, memory_, bytes_)
                                               : roofline::all_threads(*set_, stream, memory_, share_, team_));
    variants.back().id = roofline::id(stream);
  }
  return on(threads, std::move(variants));
}

std::vector<Variant> Roofs::variants() {
  std::vector<Variant> variants = copies(Threads::all);
  for (Variant& variant : arithmetic_.variants()) variants.push_back(std::move(variant));
  return variants;
}

Estimate Roofs::traffic_gbs(const Sampling& sampling, Stream stream, Threads threads) const {
  const double program_bytes = threads == Threads::one ? roofline::pass_bytes(*set_, stream, bytes_)
                                                       : team_.size() * roofline::pass_bytes(*set_, stream, share_);
  const double allocated = stream == Stream::copy ? 1.5 : 1;  // a third stream: written lines are read first
  return rate(allocated * program_bytes, sampling.of(id(stream, threads)));
}

TwoRoofs Roofs::roofs(const Sampling& sampling) const {
  const double peak = arithmetic_.peak_gflops(sampling);
  const auto gbs = [&](Stream copy) { return traffic_gbs(sampling, copy, Threads::all).median; };
  return {{peak, gbs(Stream::copy)}, {peak, gbs(Stream::copy_nontemporal)}, arithmetic_.costs(sampling)};
}

// ---- Graphs ----

namespace {

bool is_compiled(Strategy strategy) { return strategy != Strategy::decomposed && strategy != Strategy::operators; }

CompileOptions options_of(Strategy strategy, const std::filesystem::path& cache) {
  return {.stores = strategy == Strategy::compiled_ordinary ? Stores::ordinary : Stores::nontemporal, .folder = cache};
}

bool is_product(const Node& node) { return node.op == Op::matmul; }

/// Minimum seconds of the operators that `counts` selects, run one by one.
double seconds_one_by_one(const Graph& graph, const TwoRoofs& machine, bool (*counts)(const Node&)) {
  double seconds = 0;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (counts(graph.nodes()[i])) seconds += machine.seconds(work(graph, {i}, machine.costs));
  }
  return seconds;
}

}  // namespace

const char* name(Strategy strategy) {
  constexpr const char* names[] = {"decomposed", "by operators", "compiled, non-temporal stores",
                                   "compiled, ordinary stores"};
  return names[static_cast<std::size_t>(strategy)];
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
  const std::vector<Strategy> stores = {Strategy::operators, Strategy::compiled, Strategy::compiled_ordinary},
                              taken_apart = {Strategy::decomposed, Strategy::operators, Strategy::compiled},
                              both = {Strategy::operators, Strategy::compiled};
  return {{"elementwise", "relu · 0.5 + 1", chain, chain, rows, stores},
          {"softmax", "softmax", softmax, softmax, rows, taken_apart},
          {"block", "layer norm, linear, GELU, dropout", block, without_dropout, rows, both},
          {"norm", "layer norm, GELU, dropout", norm, norm_alone, rows, both},
          {"attention", "attention", attention, attention, rows, both}};
}

GraphRuns::GraphRuns(GraphCase which, std::filesystem::path cache)
    : case_(std::move(which)),
      cache_(std::move(cache)),
      graph_(case_.graph(case_.rows)),
      inputs_(graph_),
      result_(result_shape().numbers() * sizeof(float), Pages::huge) {
  for (const Strategy strategy : case_.strategies) {
    if (is_compiled(strategy)) {
      compiled_.emplace(strategy, Compiled(graph_, options_of(strategy, cache_)));
    } else {
      eager_.emplace(strategy, Eager(strategy == Strategy::decomposed ? decompose(graph_) : graph_));
    }
  }
  constexpr std::size_t checked_rows = 3;
  check(case_.graph(checked_rows));
}

void GraphRuns::run(Strategy strategy) {
  float* result = result_.as<float>().data();
  if (is_compiled(strategy)) return compiled_.at(strategy).run(inputs(), result);
  eager_.at(strategy).run(inputs(), result);
}

/// Checks the first rows of the result. They depend only on the first rows of the first input, so a smaller graph is
/// enough.
void GraphRuns::check(const Graph& first_rows) {
  const std::vector<Rounded> references = rounded_reference(first_rows, inputs());
  for (const Strategy strategy : case_.strategies) {
    std::ranges::fill(result_.as<float>(), NAN);
    run(strategy);
    verify(worst_error_share(result_.as<float>().first(references.size()), references), id(strategy));
  }
}

std::vector<Variant> GraphRuns::variants(Threads threads) {
  std::vector<Variant> variants;
  for (const Strategy strategy : case_.strategies) {
    variants.push_back(timed(id(strategy), [this, strategy] { run(strategy); }));
  }
  return on(threads, std::move(variants));
}

std::string GraphRuns::id(Strategy strategy, Threads threads) const {
  return on(threads, case_.id + ", " + name(strategy));
}

Work GraphRuns::work(Strategy strategy) const {
  return is_compiled(strategy) ? compiled_.at(strategy).work() : eager_work(eager_.at(strategy).graph());
}

double GraphRuns::least_seconds(Strategy strategy, const TwoRoofs& machine) const {
  if (is_compiled(strategy)) return machine.seconds(compiled_.at(strategy).work(machine.costs));
  return seconds_one_by_one(eager_.at(strategy).graph(), machine, [](const Node&) { return true; });
}

double GraphRuns::product_seconds(const TwoRoofs& machine) const {
  return seconds_one_by_one(graph_, machine, is_product);
}

bool GraphRuns::has_product() const { return std::ranges::any_of(graph_.nodes(), is_product); }

std::vector<float> GraphRuns::compared_result() const {
  const Graph graph = case_.compared(case_.rows);
  std::vector<float> result(graph.result_shape().numbers());
  Compiled(graph, options_of(Strategy::compiled, cache_)).run(inputs(), result.data());
  return result;
}

}  // namespace hf::compilers
