#include "07-compilers/kernels/compiler/eager.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/prelude.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/loop_team.hpp"
#include "kit/softmax.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t cheap = 1, exponential = 8;  // cost of a number, in the unit of share()

/// One part for each core: the next operator then finds this one's result in the core's own cache.
constexpr std::size_t part_each = 1;

// Each has its own type, so that a loop that takes one inlines its instructions.
constexpr auto itself = [](Floats v) { return v; };
constexpr auto sum = [](Floats a, Floats b) { return a + b; };
constexpr auto larger = [](Floats a, Floats b) { return maximum(a, b); };

/// Calls `row(i)` for every row of a matrix.
template <class Row>
void each_row(Shape shape, std::size_t cost, const Row& row) {
  share_each(shape.rows, shape.columns * cost, row, part_each);
}

/// Calls `part(first, count)` for parts of an array that begin on cache lines.
template <class Part>
void each_part(std::size_t numbers, std::size_t cost, const Part& part) {
  constexpr std::size_t block = 2048;
  const auto run = [&](std::size_t first, std::size_t last) {
    part(first * block, std::min(last * block, numbers) - first * block);
  };
  share((numbers + block - 1) / block, block * cost, run, part_each);
}

/// to[j] = f(x[j])
template <class F>
void map(const float* x, float* to, std::size_t n, F f) {
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) store(to + j, f(load(x + j)));
  if (j < n) store_some(to + j, n - j, f(load_some(x + j, n - j, 1)));
}

/// An operand along a row of the result: its numbers in order, or always the first.
struct Along {
  const float* numbers;
  bool repeated;
};

template <bool repeat_a, bool repeat_b, class F>
void map(const float* a, const float* b, float* to, std::size_t n, F f) {
  const Floats one_a = broadcast(a[0]), one_b = broadcast(b[0]);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) store(to + j, f(repeat_a ? one_a : load(a + j), repeat_b ? one_b : load(b + j)));
  const std::size_t rest = n - j;
  if (rest == 0) return;
  const Floats last_a = repeat_a ? one_a : load_some(a + j, rest, 1),
               last_b = repeat_b ? one_b : load_some(b + j, rest, 1);
  store_some(to + j, rest, f(last_a, last_b));
}

/// to[j] = f(a[j], b[j])
template <class F>
void map(Along a, Along b, float* to, std::size_t n, F f) {
  if (a.repeated) return map<true, false>(a.numbers, b.numbers, to, n, f);  // if b is repeated too, n is 1
  if (b.repeated) return map<false, true>(a.numbers, b.numbers, to, n, f);
  map<false, false>(a.numbers, b.numbers, to, n, f);
}

template <class F>
void of_one(const Operand& x, std::size_t cost, float* result, F f) {
  each_part(x.shape.numbers(), cost,
            [&](std::size_t first, std::size_t count) { map(x.numbers + first, result + first, count, f); });
}

/// Runs an elementwise operator of two operands. If no row is repeated, the rows are treated as one long row.
template <class F>
void of_two(std::span<const Operand> of, Shape shape, float* result, F f) {
  const auto is_number = [](const Operand& x) { return x.shape.numbers() == 1; };
  const auto is_whole = [&](const Operand& x) { return x.shape == shape || is_number(x); };
  const auto row = [](const Operand& x, std::size_t i) -> Along {
    return {x.numbers + (x.shape.rows == 1 ? 0 : i) * x.shape.columns, x.shape.columns == 1};
  };
  const auto from = [&](const Operand& x, std::size_t first) -> Along {
    return {x.numbers + (is_number(x) ? 0 : first), is_number(x)};
  };
  if (is_whole(of[0]) && is_whole(of[1])) {
    each_part(shape.numbers(), cheap, [&](std::size_t first, std::size_t count) {
      map(from(of[0], first), from(of[1], first), result + first, count, f);
    });
  } else {
    each_row(shape, cheap,
             [&](std::size_t i) { map(row(of[0], i), row(of[1], i), result + i * shape.columns, shape.columns, f); });
  }
}

/// Joins of(x[j]) for a whole row, four vectors at a time, so that none waits for the one before.
/// \param absent  number used past the row's end: joining of(absent) changes nothing
template <class Of, class Join>
Floats reduce(const float* x, std::size_t n, float absent, Of of, Join join) {
  constexpr std::size_t chains = 4;
  Floats all[chains];
  for (Floats& chain : all) chain = of(broadcast(absent));
  std::size_t j = 0;
  for (; j + chains * lanes <= n; j += chains * lanes) {
    for (std::size_t chain = 0; chain < chains; ++chain) all[chain] = join(all[chain], of(load(x + j + chain * lanes)));
  }
  for (; j < n; j += lanes) all[0] = join(all[0], of(load_some(x + j, n - j, absent)));
  return join(join(all[0], all[1]), join(all[2], all[3]));
}

constexpr float lowest = -std::numeric_limits<float>::infinity();  // e^lowest is 0

float row_sum(const float* x, std::size_t n) { return sum_of(reduce(x, n, 0, itself, sum)); }

float row_max(const float* x, std::size_t n) { return max_of(reduce(x, n, lowest, itself, larger)); }

void layer_norm_row(const float* x, const float* gain, const float* shift, float* y, std::size_t n) {
  const float count = static_cast<float>(n), mean = row_sum(x, n) / count;
  const auto square = [=](Floats v) { return (v - mean) * (v - mean); };
  const float variance = sum_of(reduce(x, n, mean, square, sum)) / count;
  const float scale = 1 / std::sqrt(variance + layer_norm_epsilon);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    __builtin_prefetch(x + n + j);
    store(y + j, (load(x + j) - mean) * scale * load(gain + j) + load(shift + j));
  }
  for (; j < n; ++j) y[j] = (x[j] - mean) * scale * gain[j] + shift[j];
}

void dropout(const Node& node, const Operand& x, float* result) {
  const std::size_t n = x.shape.columns;
  const std::uint32_t threshold = dropout_threshold(node.number);
  const float factor = 1 / (1 - node.number);
  each_row(x.shape, cheap, [&](std::size_t i) {
    const DropoutRow row = dropout_row(node.seed, i);
    const float* const from = x.numbers + i * n;
    float* const to = result + i * n;
    const auto drop = [&](std::size_t j, std::size_t count) {
      store_some(to + j, count, dropped(load_some(from + j, count, 0), row, j, threshold, factor));
    };
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) drop(j, lanes);
    if (j < n) drop(j, n - j);
  });
}

/// A product with one row: each core reads adjacent rows of b as a single stream; at the end their sums are added.
void multiply_row(std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  static thread_local Buffer memory;
  const std::size_t shares = sharing_cores(), stride = matmul::round_up(n, 16);  // whole cache lines
  float* const sums = matmul::memory_of<float>(memory, shares * stride);
  const auto multiply_rows = [&](std::size_t first, std::size_t last) {
    const std::size_t from = first * k / shares, count = last * k / shares - from;
    matmul::gemm_part({0, 0, 1, n}, n, count, a + from, b + from * n, sums + first * stride);
    for (std::size_t i = first + 1; i < last; ++i) std::fill_n(sums + i * stride, n, 0.0f);
  };
  share(shares, k * n / shares, multiply_rows, part_each);
  std::copy_n(sums, n, c);
  for (std::size_t i = 1; i < shares; ++i) {
    for (std::size_t j = 0; j < n; ++j) c[j] += sums[i * stride + j];
  }
}

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();  // not in the graph's memory

/// Returns the last reader of each node; the node itself if it has none.
std::vector<std::size_t> last_reader(const Graph& graph) {
  std::vector<std::size_t> last(graph.nodes().size());
  for (std::size_t i = 0; i < last.size(); ++i) {
    last[i] = i;
    for (Ref operand : graph.nodes()[i].operands) last[operand.node] = i;
  }
  return last;
}

}  // namespace

void shared_product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
                    matmul::Epilogue epilogue) {
  if (m == 1) {
    multiply_row(n, k, a, b, c);
    return epilogue.run != nullptr ? epilogue.run(epilogue.with, c, n, 0, 0, 1, n) : void();
  }
  const bool by_columns = shares_columns(m, n);
  const std::size_t whole = by_columns ? n : m, across = by_columns ? m : n;
  const std::size_t unit = by_columns ? matmul::register_tile.columns : matmul::register_tile.rows;
  const auto multiply_part = [&](std::size_t first, std::size_t last) {
    const std::size_t from = first * unit, count = std::min(last * unit, whole) - from;
    const matmul::Rectangle part =
        by_columns ? matmul::Rectangle{0, from, m, count} : matmul::Rectangle{from, 0, count, n};
    matmul::gemm_part(part, n, k, a, b, c, matmul::default_blocking(), epilogue);
  };
  const std::size_t flops_as_numbers = unit * across * k / 8;  // 8 multiply-adds cost about as much as one number
  share(matmul::parts_of(whole, unit), flops_as_numbers, multiply_part, part_each);
}

void run_operator(const Node& node, std::span<const Operand> of, float* result) {
  const Shape shape = node.shape;
  const auto each_row_of = [&](std::size_t cost, const auto& row) {
    const Operand& x = of[0];
    const std::size_t n = x.shape.columns;
    each_row(x.shape, cost, [&](std::size_t i) { row(x.numbers + i * n, result + i * shape.columns, n); });
  };
  switch (node.op) {
    case Op::input:
    case Op::constant: return;
    case Op::add: return of_two(of, shape, result, sum);
    case Op::subtract: return of_two(of, shape, result, [](Floats a, Floats b) { return a - b; });
    case Op::multiply: return of_two(of, shape, result, [](Floats a, Floats b) { return a * b; });
    case Op::divide: return of_two(of, shape, result, [](Floats a, Floats b) { return a / b; });
    case Op::maximum: return of_two(of, shape, result, larger);
    case Op::relu: return of_one(of[0], cheap, result, [](Floats x) { return relu(x); });
    case Op::exp: return of_one(of[0], exponential, result, [](Floats x) { return exp(x); });
    case Op::rsqrt: return of_one(of[0], cheap, result, [](Floats x) { return rsqrt(x); });
    case Op::gelu: return of_one(of[0], exponential, result, [](Floats x) { return gelu(x); });
    case Op::dropout: return dropout(node, of[0], result);
    case Op::row_sum: return each_row_of(cheap, [](auto* x, float* to, std::size_t n) { *to = row_sum(x, n); });
    case Op::row_max: return each_row_of(cheap, [](auto* x, float* to, std::size_t n) { *to = row_max(x, n); });
    case Op::matmul:
      return shared_product(shape.rows, shape.columns, of[0].shape.columns, of[0].numbers, of[1].numbers, result);
    case Op::softmax: return each_row_of(exponential, [](auto* x, float* y, std::size_t n) { softmax_row(x, y, n); });
    case Op::layer_norm:
      return each_row_of(cheap, [&](const float* x, float* y, std::size_t n) {
        layer_norm_row(x, of[1].numbers, of[2].numbers, y, n);
      });
  }
}

Eager::Eager(Graph graph) : graph_(std::move(graph)), place_(graph_.nodes().size(), nowhere) {
  const std::vector<Node>& nodes = graph_.nodes();
  if (nodes.empty()) throw std::invalid_argument("graph: has no nodes; add an input and an operator");
  const std::vector<std::size_t> last = last_reader(graph_);
  std::vector<std::size_t> sizes;  // of the arrays, in numbers
  std::set<std::size_t> free;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t numbers = nodes[i].shape.numbers();
    if (!is_given(nodes[i].op) && i + 1 < nodes.size()) {
      if (free.empty()) {
        free.insert(sizes.size());
        sizes.push_back(0);
      }
      const auto best = std::ranges::min_element(free, {}, [&](std::size_t array) {
        const bool fits = sizes[array] >= numbers;  // the smallest that fits, else the largest
        return std::pair(!fits, fits ? sizes[array] : ~sizes[array]);
      });
      place_[i] = *best;
      sizes[*best] = std::max(sizes[*best], numbers);
      free.erase(best);
    }
    for (std::size_t done = 0; done <= i; ++done) {
      if (last[done] == i && place_[done] != nowhere) free.insert(place_[done]);
    }
  }
  for (std::size_t numbers : sizes) memory_.emplace_back(numbers * sizeof(float), Pages::huge);
}

void Eager::run(std::span<const float* const> inputs, float* result) {
  if (inputs.size() != graph_.inputs()) {
    throw std::invalid_argument("graph: takes " + std::to_string(graph_.inputs()) + " inputs, not " +
                                std::to_string(inputs.size()));
  }
  const std::vector<Node>& nodes = graph_.nodes();
  std::vector<const float*> at(nodes.size());
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (is_given(node.op)) {
      at[i] = node.op == Op::input ? inputs[next_input++] : &node.number;
      continue;
    }
    float* const to = place_[i] == nowhere ? result : memory_[place_[i]].as<float>().data();
    std::vector<Operand> operands;
    for (Ref operand : node.operands) operands.push_back({at[operand.node], graph_.node(operand).shape});
    run_operator(node, operands, to);
    at[i] = to;
  }
  // The result may be an input or a constant.
  if (at.back() != result) std::copy_n(at.back(), nodes.back().shape.numbers(), result);
}

}  // namespace hf::compilers
