#include "07-compilers/kernels/pytorch/torch_peer.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {
namespace {

/// As few digits as name a float.
std::string digits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

class Translation {
 public:
  explicit Translation(const Graph& graph) : graph_(graph), uses_(graph.nodes().size()) {
    for (const Node& node : graph.nodes()) {
      for (Ref operand : node.operands) ++uses_[operand.node];
    }
  }

  std::string source() const {
    std::string parameters, body;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (node.op == Op::input) parameters += (parameters.empty() ? "" : ", ") + name_of({i});
      if (node.op == Op::input || node.op == Op::constant || is_part_of_addmm(i)) continue;
      body += "    " + name_of({i}) + " = " + expression(node) + "\n";
    }
    return "def graph(" + parameters + "):\n" + body + "    return " + name_of({graph_.nodes().size() - 1}) + "\n";
  }

  std::vector<std::vector<std::size_t>> sizes() const {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (node.op != Op::input) continue;
      all.push_back({node.shape.rows, node.shape.columns});
      if (is_vector({i})) all.back().erase(all.back().begin());
    }
    return all;
  }

  std::vector<std::size_t> parameters() const {
    std::vector<std::size_t> all;
    std::size_t input = 0;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      if (graph_.nodes()[i].op != Op::input) continue;
      if (is_vector({i}) || is_weight({i})) all.push_back(input);
      ++input;
    }
    return all;
  }

 private:
  /// What an operator is called with: a tensor, or a number.
  std::string name_of(Ref ref) const {
    const Node& node = graph_.node(ref);
    return node.op == Op::constant ? digits(node.number) : std::string("v").append(std::to_string(ref.node));
  }

  /// A row, for what wants a vector.
  std::string row(Ref ref) const { return name_of(ref) + (is_vector(ref) ? "" : ".view(-1)"); }

  /// Whether an input is but a gain, a shift or a bias: one gives those to PyTorch without a second dimension.
  bool is_vector(Ref ref) const {
    int others = uses_[ref.node];
    for (const Node& node : graph_.nodes()) {
      for (std::size_t i = 1; i < node.operands.size(); ++i) {
        const bool is_bias = node.op == Op::layer_norm || product_below(node) != nullptr;
        if (node.operands[i].node == ref.node && is_bias) --others;
      }
    }
    return graph_.node(ref).shape.rows == 1 && others == 0;
  }

  /// Whether an input is what a Linear multiplies with.
  bool is_weight(Ref ref) const {
    return std::ranges::any_of(graph_.nodes(), [&](const Node& node) {
      const Node* const product = product_below(node);
      return product != nullptr && product->operands[1].node == ref.node && uses_[ref.node] == 1;
    });
  }

  /// The product that this adds a row to, if it does nothing else with it.
  const Node* product_below(const Node& node) const {
    if (node.op != Op::add) return nullptr;
    const Node &product = graph_.node(node.operands[0]), &bias = graph_.node(node.operands[1]);
    const bool is_row = bias.op == Op::input && bias.shape.rows == 1 && bias.shape.columns == node.shape.columns;
    return product.op == Op::matmul && uses_[node.operands[0].node] == 1 && is_row ? &product : nullptr;
  }

  bool is_part_of_addmm(std::size_t place) const {
    for (const Node& node : graph_.nodes()) {
      if (product_below(node) == &graph_.nodes()[place]) return true;
    }
    return false;
  }

  std::string expression(const Node& node) const {
    std::vector<std::string> of;
    for (Ref operand : node.operands) of.push_back(name_of(operand));
    switch (node.op) {
      case Op::input:
      case Op::constant: return "";
      case Op::add: {
        const Node* const product = product_below(node);
        if (product == nullptr) return of[0] + " + " + of[1];
        return "torch.addmm(" + of[1] + ", " + name_of(product->operands[0]) + ", " + name_of(product->operands[1]) +
               ")";
      }
      case Op::subtract: return of[0] + " - " + of[1];
      case Op::multiply: return of[0] + " * " + of[1];
      case Op::divide: return of[0] + " / " + of[1];
      case Op::maximum:
        if (graph_.node(node.operands[1]).op == Op::constant) return "torch.clamp_min(" + of[0] + ", " + of[1] + ")";
        if (graph_.node(node.operands[0]).op == Op::constant) return "torch.clamp_min(" + of[1] + ", " + of[0] + ")";
        return "torch.maximum(" + of[0] + ", " + of[1] + ")";
      case Op::relu: return "torch.relu(" + of[0] + ")";
      case Op::exp: return "torch.exp(" + of[0] + ")";
      case Op::rsqrt: return "torch.rsqrt(" + of[0] + ")";
      case Op::gelu: return "F.gelu(" + of[0] + ", approximate=\"tanh\")";
      case Op::dropout: return "F.dropout(" + of[0] + ", " + digits(node.number) + ", training=True)";
      case Op::row_sum: return of[0] + ".sum(1, keepdim=True)";
      case Op::row_max: return of[0] + ".amax(1, keepdim=True)";
      case Op::matmul: return "torch.mm(" + of[0] + ", " + of[1] + ")";
      case Op::softmax: return "torch.softmax(" + of[0] + ", 1)";
      case Op::layer_norm:
        return "F.layer_norm(" + of[0] + ", (" + std::to_string(node.shape.columns) + ",), " + row(node.operands[1]) +
               ", " + row(node.operands[2]) + ")";
    }
    return "";
  }

  const Graph& graph_;
  std::vector<int> uses_;
};

}  // namespace

std::size_t TorchProgram::numbers(std::size_t tensor) const {
  std::size_t count = 1;
  for (std::size_t size : sizes[tensor]) count *= size;
  return count;
}

TorchProgram torch_program(const Graph& graph) {
  const Translation translation(graph);
  return {translation.source(), translation.sizes(), translation.parameters()};
}

}  // namespace hf::compilers
