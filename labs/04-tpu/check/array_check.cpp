#include "04-tpu/check/array_check.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>

#include "04-tpu/kernels/systolic.hpp"
#include "common/random.hpp"

namespace hf::tpu {
namespace {

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

}  // namespace

int wrong_shapes(int shapes, const std::function<void()>& between) {
  std::mt19937 generator(4);
  const auto side = [&](std::size_t most) { return 1 + generator() % most; };
  int wrong = 0;
  for (int i = 0; i < shapes; ++i) {
    const ArrayShape array = {side(16), side(16)};
    const ProductShape shape = {side(40), side(40), side(40)};
    for (const Dataflow dataflow : dataflows) wrong += is_right(dataflow, array, shape) ? 0 : 1;
    between();
  }
  return wrong;
}

}  // namespace hf::tpu
