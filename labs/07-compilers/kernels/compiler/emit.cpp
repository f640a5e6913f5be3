// Writes a plan as C++.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "07-compilers/kernels/compiler/prelude_hpp.hpp"
#include "harness/measure/vector_hpp.hpp"
#include "kit/exponential_hpp.hpp"

namespace hf::compilers {
namespace {

/// The form of a value in a loop.
enum class Form {
  full,    ///< a number for each element of the domain
  column,  ///< one for each row
  row,     ///< one for each column
  number,  ///< one for the whole loop
};

std::string v(const char* what, Ref ref) { return std::string(what).append(std::to_string(ref.node)); }
std::string v(Ref ref) { return v("v", ref); }

/// Returns the shortest text that reads back as this number.
std::string literal(float number) {
  if (std::isnan(number)) return "__builtin_nanf(\"\")";
  if (std::isinf(number)) return number > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  char text[32];
  std::string digits(text, std::to_chars(text, text + sizeof text, number).ptr);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + "f";
}

/// The passes of a loop over each row: what each computes, and what it keeps for a later one.
class Passes {
 public:
  Passes(const FusionPlan& plan, const Loop& loop)
      : graph_(plan.graph), loop_(loop), level_(plan.graph.nodes().size()) {
    for (Ref ref : loop.nodes) {
      std::size_t level = 0;
      for (Ref operand : graph_.node(ref).operands) level = std::max(level, level_[operand.node]);
      level_[ref.node] = level + reduces(ref);
      last_ = std::max(last_, level_[ref.node]);
    }
    find_kept();
  }

  Form form(Ref ref) const {
    const Shape shape = graph_.node(ref).shape;
    const bool computed = contains(loop_.nodes, ref);
    if (computed && is_reduction(graph_.node(ref).op)) return Form::column;
    if (!computed && shape == Shape{1, 1}) return Form::number;
    if (shape == loop_.domain) return Form::full;
    return shape.columns == 1 ? Form::column : Form::row;
  }

  /// True if the result needs a whole pass over the row.
  bool reduces(Ref ref) const {
    return is_reduction(graph_.node(ref).op) && form(graph_.node(ref).operands[0]) == Form::full;
  }

  std::size_t last() const { return last_; }
  std::size_t level(Ref ref) const { return level_[ref.node]; }
  const std::vector<Ref>& kept() const { return kept_; }

  /// True if the first kept value can be stored in place of the result: then the level-1 cache holds one row fewer.
  bool is_in_result() const {
    return !kept_.empty() && !loop_.past_caches && loop_.outputs.size() == 1 && form(loop_.outputs[0]) == Form::full &&
           level(loop_.outputs[0]) == last_;
  }
  std::vector<Ref> in_scratch() const { return {kept_.begin() + is_in_result(), kept_.end()}; }

  bool keeps(Ref ref, std::size_t pass) const { return contains(kept_, ref) && level(ref) < pass; }

  /// Returns what a pass produces: sums and maxima, written results, and kept values.
  std::vector<Ref> aims(std::size_t pass) const {
    std::vector<Ref> aims;
    for (Ref ref : loop_.nodes) {
      const bool written = form(ref) == Form::full && (contains(loop_.outputs, ref) || contains(kept_, ref));
      if (reduces(ref) ? level(ref) == pass + 1 : written && level(ref) == pass) aims.push_back(ref);
    }
    return aims;
  }

  /// Returns all values that a pass loads or computes for its aims, in order.
  std::vector<Ref> values(std::size_t pass) const {
    std::vector<bool> needed(level_.size());
    for (Ref aim : aims(pass)) needed[reduces(aim) ? graph_.node(aim).operands[0].node : aim.node] = true;
    std::vector<Ref> values;
    for (std::size_t i = needed.size(); i-- > 0;) {
      const Ref ref = {i};
      const Form of = form(ref);
      if (!needed[i] || of == Form::column || of == Form::number) continue;
      values.push_back(ref);
      if (!contains(loop_.nodes, ref) || keeps(ref, pass) || graph_.node(ref).op == Op::matmul) continue;
      for (Ref operand : graph_.node(ref).operands) needed[operand.node] = true;
    }
    std::ranges::reverse(values);
    return values;
  }

 private:
  /// Returns about how many instructions an operator takes.
  static int instructions(Op op) {
    switch (op) {
      case Op::exp: return 16;
      case Op::gelu: return 32;
      case Op::dropout: return 16;
      case Op::divide:
      case Op::rsqrt: return 8;
      default: return 1;
    }
  }

  /// Finds the values to keep: those that a later pass needs too, unless recomputing them takes no more instructions
  /// than storing and loading them.
  void find_kept() {
    constexpr int of_keeping = 2;
    std::vector<int> cost(level_.size());
    for (Ref ref : loop_.nodes) {
      if (form(ref) != Form::full) continue;
      cost[ref.node] = instructions(graph_.node(ref).op);
      for (Ref from : graph_.node(ref).operands) cost[ref.node] += cost[from.node];
      const auto needs_it_later = [&](Ref user) {
        const bool later = level(user) - reduces(user) > level(ref);
        return later && contains(graph_.node(user).operands, ref);
      };
      if (cost[ref.node] <= of_keeping) continue;
      if (std::ranges::none_of(loop_.nodes, needs_it_later)) continue;
      kept_.push_back(ref);
      cost[ref.node] = 0;
    }
  }

  const Graph& graph_;
  const Loop& loop_;
  std::vector<std::size_t> level_;  ///< for each node: how many passes must end before it can be computed
  std::vector<Ref> kept_;
  std::size_t last_ = 0;
};

/// Writes the function of one loop.
class Writer {
 public:
  Writer(const FusionPlan& plan, const Loop& loop, std::size_t number)
      : graph_(plan.graph),
        loop_(loop),
        number_(number),
        passes_(plan, loop),
        any_row_(plan.any_row[loop.nodes[0].node]) {}

  std::string write() {
    comment();
    switch (loop_.kind) {
      case Loop::Kind::flat: flat(); break;
      case Loop::Kind::rows: rows(); break;
      case Loop::Kind::product: product(); break;
    }
    if (loop_.past_caches) line("drain_nontemporal();");
    close();
    return text_.str();
  }

 private:
  void line(const std::string& text) { text_ << std::string(2 * depth_, ' ') << text << '\n'; }
  void open(const std::string& text) {
    line(text);
    ++depth_;
  }
  void close(const std::string& text = "}") {
    --depth_;
    line(text);
  }

  void comment() {
    constexpr std::size_t widest = 84;
    std::string words = "//";
    for (Ref ref : loop_.nodes) {
      std::string word = v(" v", ref) + " = " + name(graph_.node(ref).op);
      if (ref.node != loop_.nodes.back().node) word += ',';
      if (words.size() + word.size() > widest) line(std::exchange(words, "//"));
      words += word;
    }
    line(words);
    line("// over " + (any_row_ ? "any" : std::to_string(loop_.domain.rows)) + " x " +
         std::to_string(loop_.domain.columns));
  }

  /// Writes the numbers that are the same for all rows and columns.
  void constants() {
    std::vector<Ref> written;
    for (Ref ref : loop_.nodes) {
      for (Ref operand : graph_.node(ref).operands) {
        if (passes_.form(operand) != Form::number || contains(written, operand)) continue;
        written.push_back(operand);
        const Node& node = graph_.node(operand);
        broadcast(operand, node.op == Op::constant ? literal(node.number) : at(operand) + "[0]");
      }
    }
  }

  void broadcast(Ref ref, const std::string& from) { line("const Floats " + v(ref) + " = broadcast(" + from + ");"); }

  static std::string at(Ref ref) { return "values[" + std::to_string(ref.node) + "]"; }

  /// Writes the state from which the dropout masks of a row are computed.
  void masks(const char* row) {
    for (Ref ref : loop_.nodes) {
      const Node& node = graph_.node(ref);
      if (node.op != Op::dropout) continue;
      line(v("const Mask mask", ref) + " = mask_of(" + std::to_string(node.seed) + "u, " + row + ", " +
           literal(node.number) + ");");
    }
  }

  /// Writes the pointer to the current row of a value.
  void pointer(const char* declared, Ref ref) {
    const std::string column = loop_.kind == Loop::Kind::product ? " + column" : "";
    if (passes_.form(ref) == Form::full) line(v(declared, ref) + " = " + at(ref) + " + row * columns" + column + ";");
    if (passes_.form(ref) == Form::row) line(v(declared, ref) + " = " + at(ref) + column + ";");
  }

  void input(Ref ref) {
    pointer("const float* const p", ref);
    if (passes_.form(ref) == Form::column) broadcast(ref, at(ref) + "[row]");
  }

  void flat() {
    head("");
    constants();
    for (Ref input : loop_.inputs) {
      if (passes_.form(input) == Form::full) line(v("const float* const p", input) + " = " + at(input) + ";");
    }
    for (Ref output : loop_.outputs) line(v("float* const p", output) + " = " + at(output) + ";");
    masks("0");
    pass(0, "first", "last");
  }

  void rows() {
    head(passes_.in_scratch().empty() ? "" : " scratch");
    line("constexpr std::size_t columns = " + std::to_string(loop_.domain.columns) + ";");
    constants();
    for (std::size_t i = 0; i < passes_.in_scratch().size(); ++i) {
      line(v("float* const kept", passes_.in_scratch()[i]) + " = scratch" +
           (i > 0 ? " + " + std::to_string(i) + " * columns;" : ";"));
    }
    open("for (std::size_t row = first; row < last; ++row) {");
    for (Ref ref : loop_.inputs) input(ref);
    for (Ref output : loop_.outputs) pointer("float* const p", output);
    if (passes_.is_in_result()) {
      line(v("float* const kept", passes_.kept()[0]) + " = " + v("p", loop_.outputs[0]) + ";");
    }
    masks("row");
    for (std::size_t level = 0; level <= passes_.last(); ++level) {
      columns(level);
      pass(level, "0", "columns");
    }
    close();
  }

  void product() {
    line(v("extern \"C\" void epilogue_", {number_}) + "(const void* block, float* c, std::size_t stride,");
    line("                           std::size_t first_row, std::size_t column,");
    open("                           std::size_t rows, std::size_t wide) {");
    line("constexpr std::size_t columns = " + std::to_string(loop_.domain.columns) + ";");
    line("const auto& [values, block_row] = *static_cast<const BandRows*>(block);");
    constants();
    open("for (std::size_t r = 0; r < rows; ++r) {");
    line("const std::size_t row = block_row + first_row + r;");
    line("float* const to = c + r * stride;");
    for (Ref ref : loop_.inputs) {
      const auto reads = [&](Ref node) { return contains(graph_.node(node).operands, ref); };
      if (std::any_of(loop_.nodes.begin() + 1, loop_.nodes.end(), reads)) input(ref);  // else only the product reads it
    }
    masks("row");
    pass(0, "0", "wide");
    close();
  }

  /// Writes the function's name and parameters. \param scratch  name of that parameter; empty if unused
  void head(const char* scratch) {
    line(v("extern \"C\" void loop_", {number_}) + "(float* const* values, float*" + scratch + ",");
    open("                       std::size_t first, std::size_t last) {");
  }

  /// Writes the values that each row has once, as soon as `level` passes have ended.
  void columns(std::size_t level) {
    for (Ref ref : loop_.nodes) {
      if (passes_.form(ref) != Form::column || passes_.level(ref) != level) continue;
      line("const Floats " + v(ref) + " = " + of_row(ref) + ";");
      if (has_reciprocal(ref)) line("const Floats per_" + v(ref) + " = 1 / " + v(ref) + ";");
      if (contains(loop_.outputs, ref)) line(at(ref) + "[row] = first_lane(" + v(ref) + ");");
    }
  }

  std::string of_row(Ref ref) const {
    const Node& node = graph_.node(ref);
    if (node.op == Op::dropout) return "broadcast(first_lane(" + expression(ref, "0") + "))";
    if (!is_reduction(node.op)) return expression(ref, "0");
    if (!passes_.reduces(ref)) return v(node.operands[0]);
    return node.op == Op::row_sum ? "total(" + v("sum", ref) + ")" : "largest(" + v("max", ref) + ")";
  }

  /// Writes one pass over the row, or over all numbers.
  void pass(std::size_t pass, const std::string& first, const std::string& last) {
    const std::vector<Ref> aims = passes_.aims(pass);
    if (aims.empty()) return;
    for (Ref aim : aims) {
      if (!passes_.reduces(aim)) continue;
      line((graph_.node(aim).op == Op::row_sum ? v("Sums sum", aim) : v("Maxima max", aim)) + ";");
    }
    const bool streams = loop_.past_caches && pass == passes_.last();
    open((streams ? v("write_past_caches(p", aims[0]) + ", " : "each_vector(") + first + ", " + last +
         ", [&](Some at) HF_INLINE {");
    for (Ref input : loop_.inputs) {  // prefetch the next row: otherwise memory would be idle
      if (pass == 1 && passes_.form(input) == Form::full) line(v("ask_for(p", input) + " + columns + at.i);");
    }
    for (Ref ref : passes_.values(pass)) line("const Floats " + v(ref) + " = " + value(ref, pass) + ";");
    for (Ref aim : aims) streams ? line("return " + v(aim) + ";") : finish(aim);
    close("});");
  }

  std::string value(Ref ref, std::size_t pass) const {
    if (passes_.keeps(ref, pass)) return "load(" + v("kept", ref) + ", at)";
    if (graph_.node(ref).op == Op::matmul && contains(loop_.nodes, ref)) return "load(to, at)";
    if (!contains(loop_.nodes, ref)) return "load(" + v("p", ref) + ", at)";
    return expression(ref, loop_.kind == Loop::Kind::product ? "column + at.i" : "at.i");
  }

  void finish(Ref aim) {
    const Node& node = graph_.node(aim);
    if (passes_.reduces(aim)) {
      return line(v(node.op == Op::row_sum ? "add(sum" : "take(max", aim) + ", at, " + v(node.operands[0]) + ");");
    }
    const auto store = [&](const std::string& to) { line("store(" + to + ", at, " + v(aim) + ");"); };
    if (contains(loop_.outputs, aim)) store(loop_.kind == Loop::Kind::product ? "to" : v("p", aim));
    if (contains(passes_.kept(), aim)) store(v("kept", aim));
  }

  /// True if a divisor is a sum of e^(x − the largest x). The sum is between 1 and the number of columns, so its
  /// reciprocal is finite, and one division for a row replaces one for each of its numbers. That rounds differently,
  /// which a graph permits.
  bool has_reciprocal(Ref divisor) const {
    const auto is = [&](Ref ref, Op op) { return graph_.node(ref).op == op && contains(loop_.nodes, ref); };
    const auto operand = [&](Ref ref, std::size_t which) { return graph_.node(ref).operands[which]; };
    if (!is(divisor, Op::row_sum) || !is(operand(divisor, 0), Op::exp)) return false;
    const Ref power = operand(operand(divisor, 0), 0);
    if (!is(power, Op::subtract) || !is(operand(power, 1), Op::row_max)) return false;
    return operand(operand(power, 1), 0).node == operand(power, 0).node;
  }

  /// Returns the C++ that computes an operator for a register of numbers.
  std::string expression(Ref ref, const std::string& column) const {
    const Node& node = graph_.node(ref);
    const std::string x = v(node.operands.front()), y = v(node.operands.back());
    switch (node.op) {
      case Op::add: return x + " + " + y;
      case Op::subtract: return x + " - " + y;
      case Op::multiply: return x + " * " + y;
      case Op::divide:  // or times the reciprocal, where that gives the same infinities
        return x + (has_reciprocal(node.operands[1]) ? " * per_" : " / ") + y;
      case Op::maximum: return "maximum(" + x + ", " + y + ")";
      case Op::relu:
      case Op::exp:
      case Op::rsqrt:
      case Op::gelu: return std::string(name(node.op)) + "(" + x + ")";
      case Op::dropout:  // the mask follows from the row and the column
        return "dropped(" + x + ", " + v("mask", ref) + ", " + column + ")";
      default:
        throw std::invalid_argument("operator " + std::string(name(node.op)) + " (%" + std::to_string(ref.node) +
                                    ") has no code; write its line in emit.cpp");
    }
  }

  const Graph& graph_;
  const Loop& loop_;
  std::size_t number_;
  Passes passes_;
  bool any_row_;
  std::ostringstream text_;
  std::size_t depth_ = 0;
};

/// Returns a header without #pragma once and project includes, whose text is inserted before it.
std::string without_includes(std::string_view header) {
  std::string text;
  while (!header.empty()) {
    const std::string_view line = header.substr(0, header.find('\n') + 1);
    if (!line.starts_with("#include \"") && !line.starts_with("#pragma once")) text += line;
    header.remove_prefix(line.size());
  }
  return text;
}

}  // namespace

std::string prelude() {
  return without_includes(vector_hpp) + without_includes(exponential_hpp) + without_includes(prelude_hpp);
}

std::string emit(const FusionPlan& plan) {
  std::string text;
  std::size_t number = 0;
  for (const Band& band : plan.bands) {
    for (const Loop& loop : band.loops) {
      const bool bare = loop.kind == Loop::Kind::product && loop.nodes.size() == 1;
      if (!bare && !text.empty()) text += '\n';
      if (!bare) text += Writer(plan, loop, number).write();
      ++number;
    }
  }
  return text;
}

std::size_t scratch_floats(const FusionPlan& plan, const Loop& loop) {
  return loop.kind == Loop::Kind::rows ? Passes(plan, loop).in_scratch().size() * loop.domain.columns : 0;
}

}  // namespace hf::compilers
