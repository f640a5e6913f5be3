#include "07-compilers/kernels/compiler/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/measure/as_double.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

/// More nodes would take the system's compiler minutes; no graph here has 10% of this.
constexpr std::size_t most_nodes = 1000;

void add_once(std::vector<Ref>& refs, Ref ref) {
  if (!contains(refs, ref)) refs.push_back(ref);
}

/// Marks the nodes that the result depends on.
std::vector<bool> needed_nodes(const Graph& graph) {
  std::vector<bool> needed(graph.nodes().size());
  needed.back() = true;
  for (std::size_t i = needed.size(); i-- > 0;) {
    for (Ref operand : graph.nodes()[i].operands) needed[operand.node] = needed[operand.node] || needed[i];
  }
  return needed;
}

/// Nodes in groups. Each group becomes a loop, so no two groups may need each other.
class Groups {
 public:
  explicit Groups(const Graph& graph) : graph_(graph), needed_(needed_nodes(graph)) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) group_.push_back(i);
  }

  // [begin: fuse]
  /// Fuses nodes that can share a loop: first elementwise operators and reductions
  /// with each other, then each product with the group that alone uses its result.
  void fuse() {
    for (std::size_t i = 0; i < group_.size(); ++i) {
      for (Ref operand : graph_.nodes()[i].operands) {
        const std::size_t from = operand.node;
        if (is_loop(from) && is_loop(i) && share_a_domain(from, i)) merge(from, i);
      }
    }
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (!needed_[i] || graph_.nodes()[i].op != Op::matmul) continue;
      const auto user = only_user(i);
      if (user && suits_as_epilogue(i, *user)) merge(i, *user);
    }
  }
  // [end: fuse]

  /// Returns the groups, each after those whose results it needs.
  std::vector<std::vector<Ref>> in_order() const {
    std::vector<std::vector<Ref>> order;
    std::vector<bool> done(group_.size());
    for (std::size_t i = 0; i < group_.size(); ++i) done[i] = !is_computed(i);
    const auto is_ready = [&](Ref member) {
      return std::ranges::all_of(graph_.node(member).operands,
                                 [&](Ref operand) { return done[operand.node] || same(operand.node, member.node); });
    };
    for (std::size_t i = 0; i < group_.size();) {
      const std::vector<Ref> group = done[i] ? std::vector<Ref>{} : members(i);
      if (group.empty() || !std::ranges::all_of(group, is_ready)) {
        ++i;
        continue;
      }
      for (Ref member : group) done[member.node] = true;
      order.push_back(group);
      i = 0;
    }
    return order;
  }

  /// Returns the nodes of a group that are used outside it.
  std::vector<Ref> outputs(const std::vector<Ref>& group) const {
    std::vector<Ref> outputs;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (!is_computed(i) || same(i, group[0].node)) continue;
      for (Ref operand : graph_.nodes()[i].operands) {
        if (contains(group, operand)) add_once(outputs, operand);
      }
    }
    if (const Ref result{group_.size() - 1}; contains(group, result)) add_once(outputs, result);
    return outputs;
  }

  /// Returns the matrix that a group's loop runs over; for a reduction, the matrix that it reduces.
  Shape domain(const std::vector<Ref>& group) const {
    Shape domain = {0, 0};
    for (Ref member : group) {
      const Node& node = graph_.node(member);
      const Shape shape = is_reduction(node.op) ? graph_.node(node.operands[0]).shape : node.shape;
      if (shape.columns > domain.columns) domain = shape;
    }
    return domain;
  }

 private:
  bool is_computed(std::size_t node) const { return needed_[node] && !is_given(graph_.nodes()[node].op); }
  bool is_loop(std::size_t node) const { return is_computed(node) && graph_.nodes()[node].op != Op::matmul; }
  bool same(std::size_t a, std::size_t b) const { return group_[a] == group_[b]; }

  std::vector<Ref> members(std::size_t node) const {
    std::vector<Ref> members;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (is_computed(i) && same(i, node)) members.push_back({i});
    }
    return members;
  }

  /// True if the loops of both groups run over the same matrix, or if one runs only over its rows.
  bool share_a_domain(std::size_t from, std::size_t to) const {
    const Shape a = domain(members(from)), b = domain(members(to));
    return a == b || (a.rows == b.rows && std::min(a.columns, b.columns) == 1);
  }

  /// Returns a member of the only group that uses the node; nothing if several groups use it, or none.
  std::optional<std::size_t> only_user(std::size_t node) const {
    std::optional<std::size_t> user;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (!is_computed(i) || !contains(graph_.nodes()[i].operands, {node})) continue;
      if (user && !same(*user, i)) return {};
      user = i;
    }
    return user;
  }

  /// True if a group is elementwise, on matrices of the shape of the product, and has a single output.
  bool suits_as_epilogue(std::size_t product, std::size_t user) const {
    const std::vector<Ref> group = members(user);
    const auto fits = [&](Ref member) {
      const Node& node = graph_.node(member);
      return node.op != Op::matmul && !is_reduction(node.op) && node.shape == graph_.nodes()[product].shape;
    };
    return std::ranges::all_of(group, fits) && outputs(group).size() == 1;
  }

  /// Merges two groups, unless a third depends on `from` and `to` depends on that.
  void merge(std::size_t from, std::size_t to) {
    if (same(from, to) || is_between(from, to)) return;
    const std::size_t old = group_[from], now = group_[to];
    std::ranges::replace(group_, old, now);
  }

  bool is_between(std::size_t from, std::size_t to) const {
    std::vector<bool> after(group_.size());  // for each group other than the two: whether it needs `from`
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < group_.size(); ++i) {
        if (!is_computed(i) || same(i, from) || after[group_[i]]) continue;
        for (Ref operand : graph_.nodes()[i].operands) {
          if (same(i, to) && after[group_[operand.node]]) return true;
          if (!same(i, to) && (same(operand.node, from) || after[group_[operand.node]])) {
            changed = after[group_[i]] = true;
          }
        }
      }
    }
    return false;
  }

  const Graph& graph_;
  std::vector<bool> needed_;
  std::vector<std::size_t> group_;  ///< of each node; the number of one of the group's members
};

Loop::Kind kind_of(const Graph& graph, const Loop& loop) {
  if (graph.node(loop.nodes[0]).op == Op::matmul) return Loop::Kind::product;
  const auto is_plain = [&](Ref ref) {
    const Node& node = graph.node(ref);
    const bool knows_its_row = node.op == Op::dropout && loop.domain.rows > 1;
    return !is_reduction(node.op) && !knows_its_row && node.shape == loop.domain;
  };
  const auto is_plain_or_number = [&](Ref ref) { return is_plain(ref) || graph.node(ref).shape == Shape{1, 1}; };
  const bool flat = std::ranges::all_of(loop.nodes, is_plain) && std::ranges::all_of(loop.inputs, is_plain_or_number);
  return flat ? Loop::Kind::flat : Loop::Kind::rows;
}

Loop make_loop(const Graph& graph, const Groups& groups, std::vector<Ref> nodes) {
  const auto is_product = [&](Ref ref) { return graph.node(ref).op == Op::matmul; };
  std::stable_partition(nodes.begin(), nodes.end(), is_product);
  Loop loop = {
      .kind = {}, .domain = groups.domain(nodes), .nodes = nodes, .inputs = {}, .outputs = groups.outputs(nodes)};
  for (Ref ref : nodes) {
    for (Ref operand : graph.node(ref).operands) {
      if (!contains(nodes, operand) && graph.node(operand).op != Op::constant) add_once(loop.inputs, operand);
    }
  }
  loop.kind = kind_of(graph, loop);
  return loop;
}

bool makes(const Band& band, Ref ref) {
  return std::ranges::any_of(band.loops, [&](const Loop& loop) { return contains(loop.outputs, ref); });
}

/// True if the loop runs over the band's rows and needs results of it, of each only the current row.
bool continues(const FusionPlan& plan, const Band& band, const Loop& loop) {
  const Loop& last = band.loops.back();
  if (loop.domain.rows != last.domain.rows || loop.domain.rows == 1) return false;
  if (plan.any_row[loop.nodes[0].node] != plan.any_row[last.nodes[0].node]) return false;
  if (loop.kind == Loop::Kind::product && makes(band, plan.graph.node(loop.nodes[0]).operands[1])) return false;
  return std::ranges::any_of(loop.inputs, [&](Ref input) { return makes(band, input); });
}

bool reads(const Band& band, Ref ref) {
  return std::ranges::any_of(band.loops, [&](const Loop& loop) { return contains(loop.inputs, ref); });
}

/// Finds the results that only this band reads.
void find_near(const FusionPlan& plan, Band& band) {
  for (const Loop& loop : band.loops) {
    for (Ref output : loop.outputs) {
      const auto needs = [&](const Band& other) { return &other != &band && reads(other, output); };
      const bool is_result = output.node + 1 == plan.graph.nodes().size();
      if (!is_result && std::ranges::none_of(plan.bands, needs)) band.near.push_back(output);
    }
  }
}

/// Finds the nodes whose number of rows a call sets. \return why there can be no such plan; else empty
std::string find_any_rows(FusionPlan& plan) {
  const Graph& graph = plan.graph;
  const std::size_t rows = graph.result_shape().rows;
  const std::string refused = "it cannot be compiled for any number of rows: ";
  if (rows == 1) return refused + "its result has one row, as what is repeated has; give it two";
  std::vector<bool> is_right(graph.nodes().size());  // the second operand of a product
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::matmul) is_right[node.operands[1].node] = true;
  }
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.op == Op::input) {
      plan.any_row[i] = node.shape.rows == rows && !is_right[i];
    } else if (node.op == Op::matmul) {
      plan.any_row[i] = plan.any_row[node.operands[0].node];
      if (plan.any_row[node.operands[1].node]) {
        return refused + "%" + std::to_string(i) + " = matmul has them in its second operand";
      }
    } else {
      for (Ref operand : node.operands) plan.any_row[i] = plan.any_row[i] || plan.any_row[operand.node];
    }
  }
  return plan.any_row.back() ? "" : refused + "no input has the rows of its result";
}

/// Returns why a graph has no plan; empty if it can have one.
std::string refusal_of(const Graph& graph) {
  if (graph.nodes().empty() || is_given(graph.nodes().back().op)) return "there is nothing in it to compute";
  if (graph.nodes().size() > most_nodes) {
    return "it has " + std::to_string(graph.nodes().size()) + " operators, and at most " + std::to_string(most_nodes) +
           " are compiled; divide it";
  }
  return "";
}

}  // namespace

std::size_t FusionPlan::loops() const {
  std::size_t loops = 0;
  for (const Band& band : bands) loops += band.loops.size();
  return loops;
}

FusionPlan make_plan(const Graph& graph, bool any_rows, std::size_t largest_near) {
  FusionPlan plan;
  plan.graph = decompose(graph);
  plan.any_row.resize(plan.graph.nodes().size());
  plan.refusal = refusal_of(plan.graph);
  if (plan.refusal.empty() && any_rows) plan.refusal = find_any_rows(plan);
  if (!plan.refusal.empty()) {
    plan.any_row.clear();
    return plan;
  }
  Groups groups(plan.graph);
  groups.fuse();
  for (const std::vector<Ref>& group : groups.in_order()) {
    const Loop loop = make_loop(plan.graph, groups, group);
    if (plan.bands.empty() || !continues(plan, plan.bands.back(), loop)) plan.bands.emplace_back();
    plan.bands.back().loops.push_back(loop);
  }
  for (Band& band : plan.bands) {
    find_near(plan, band);
    for (Loop& loop : band.loops) {
      loop.past_caches = loop.kind != Loop::Kind::product && loop.outputs.size() == 1 &&
                         plan.graph.node(loop.outputs[0]).shape == loop.domain &&
                         !contains(band.near, loop.outputs[0]) && loop.domain.numbers() * sizeof(float) > largest_near;
    }
  }
  return plan;
}

Graph with_rows(const FusionPlan& plan, std::size_t rows) { return decompose(plan.graph, plan.any_row, rows); }

Work work(const FusionPlan& plan, const OpCosts& costs) {
  Work all;
  const auto bytes = [&](Ref ref) { return as_double(plan.graph.node(ref).shape.numbers() * sizeof(float)); };
  for (const Band& band : plan.bands) {
    std::vector<Ref> read;  // inputs; if two loops of a band read one, it is moved once
    for (const Loop& loop : band.loops) {
      for (Ref node : loop.nodes) all.flops += work(plan.graph, node, costs).flops;
      for (Ref input : loop.inputs) {
        if (!makes(band, input)) add_once(read, input);
      }
      for (Ref output : loop.outputs) {
        if (contains(band.near, output)) continue;
        all.bytes += bytes(output);
        if (!loop.past_caches) all.allocated_bytes += bytes(output);
      }
    }
    for (Ref input : read) all.bytes += bytes(input);
  }
  return all;
}

}  // namespace hf::compilers
