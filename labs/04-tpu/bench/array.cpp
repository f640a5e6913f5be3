#include "04-tpu/bench/steps.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"
#include "kit/random.hpp"

namespace hf::tpu {
namespace {

/// True if the product equals that of three plain loops, and the cycles equal the closed forms.
bool is_right(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape) {
  const auto a = random_bytes<std::int8_t>(shape.m * shape.k, 1), b = random_bytes<std::int8_t>(shape.k * shape.n, 2);
  const auto expected = plain_product(shape, a, b);
  const ArrayRun run = run_array(dataflow, array, shape, a, b);
  const bool right = run.c == expected && run.cycles.total() == closed_form_cycles(dataflow, array, shape);
  if (dataflow == Dataflow::output_stationary) return right;
  const ArrayRun doubled = run_array(dataflow, array, shape, a, b, {.double_buffered = true});
  return right && doubled.c == expected &&
         doubled.cycles.total() == closed_form_cycles_double_buffered(dataflow, array, shape);
}

/// Returns how many of `shapes` random shapes, each in every dataflow, gave a wrong product or number of cycles.
int wrong_shapes(const Lab& lab, int shapes) {
  std::mt19937 generator(4);
  const auto side = [&](std::size_t most) { return 1 + generator() % most; };
  int wrong = 0;
  for (int i = 0; i < shapes; ++i) {
    const ArrayShape array = {side(16), side(16)};
    const ProductShape shape = {side(40), side(40), side(40)};
    for (const Dataflow dataflow : dataflows) wrong += is_right(dataflow, array, shape) ? 0 : 1;
    lab.tick();
  }
  return wrong;
}

Series trace_of(const char* id, const char* label) {
  return {id, label, Kind::simulated, {"register", "1"}, {"number", "1"}};
}

template <class Numbers>
void append(Series& to, const Numbers& numbers) {
  for (const auto number : numbers)
    to.points.emplace_back(static_cast<double>(to.points.size()), static_cast<double>(number));
}

/// Numbers of a single digit, because the animation's cells are small.
std::vector<std::int8_t> random_digits(std::size_t count, std::uint64_t sequence) {
  auto digits = random_bytes<std::int8_t>(count, sequence);
  for (std::int8_t& each : digits) each = static_cast<std::int8_t>(1 + (each & 0x7f) % 9);
  return digits;
}

/// Records a small product on 3 × 3 cells for the animation: one series for each kind of register, with a point for
/// every cell of every cycle; then the two operands and the product.
void trace_small_product(Lab& lab) {
  const ProductShape shape = {4, 3, 3};
  // In these sequences every digit occurs, and no digit occurs twice among the weights.
  const auto a = random_digits(shape.m * shape.k, 91), b = random_digits(shape.k * shape.n, 616);
  Series moving = trace_of("trace_moving", "activations, cycle by cycle");
  Series held = trace_of("trace_held", "weights, cycle by cycle");
  Series sums = trace_of("trace_sums", "sums, cycle by cycle");
  const ArrayRun run = run_array(Dataflow::weight_stationary, {3, 3}, shape, a, b, {}, [&](const Snapshot& now) {
    append(moving, now.moving);
    append(held, now.stationary);
    append(sums, now.sums);
  });
  Series left = trace_of("trace_a", "the matrix that streams through"), right = trace_of("trace_b", "the weights");
  Series product = trace_of("trace_c", "the product");
  append(left, a);
  append(right, b);
  append(product, run.c);
  for (Series* series : {&moving, &held, &sums, &left, &right, &product}) lab.add(std::move(*series));
}

}  // namespace

void check_array(Lab& lab) {
  const int wrong = wrong_shapes(lab, lab.quick() ? 200 : 1000);
  lab.simulated("cycles_match_closed_form", wrong == 0 ? 1 : 0);
  trace_small_product(lab);
}

}  // namespace hf::tpu
