// The systolic array: cycles by formula, and how a simulated product spent its cycles.
#include <cstdint>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "cases.hpp"

namespace hf::formulas {
namespace {

using tpu::Dataflow;

Json question(Dataflow dataflow, const tpu::ArrayShape& array, const tpu::ProductShape& shape) {
  const char* name = dataflow == Dataflow::output_stationary   ? "os"
                     : dataflow == Dataflow::weight_stationary ? "ws"
                                                               : "is";
  return {{"dataflow", name}, {"rows", array.rows}, {"columns", array.columns},
          {"m", shape.m},     {"n", shape.n},       {"k", shape.k}};
}

Json formula_case(Dice& dice) {
  const Dataflow dataflow = dice.one_of(tpu::dataflows);
  const tpu::ArrayShape array = {dice.size(512), dice.size(512)};
  const tpu::ProductShape shape = {dice.size(20000), dice.size(20000), dice.size(20000)};
  Json one = question(dataflow, array, shape);
  one["twice"] = dataflow != Dataflow::output_stationary && dice.coin();
  one["answer"] = one["twice"] ? tpu::closed_form_cycles_double_buffered(dataflow, array, shape)
                               : tpu::closed_form_cycles(dataflow, array, shape);
  return one;
}

Json simulated_case(Dice& dice) {
  const Dataflow dataflow = dice.one_of(tpu::dataflows);
  const tpu::ArrayShape array = {dice.size(12), dice.size(12)};
  const tpu::ProductShape shape = {dice.size(40), dice.size(40), dice.size(40)};
  const bool twice = dataflow != Dataflow::output_stationary && dice.coin();
  const std::vector<std::int8_t> a(shape.m * shape.k, 1), b(shape.k * shape.n, 1);
  const tpu::ArrayRun run = tpu::run_array(dataflow, array, shape, a, b, {.double_buffered = twice});
  Json one = question(dataflow, array, shape);
  one["twice"] = twice;
  one["answer"] = {{"cycles", run.cycles.total()}, {"active", run.cycles.active},
                   {"shift", run.cycles.shift},    {"drain", run.cycles.drain},
                   {"macs", run.useful_macs},      {"utilisation", run.utilisation(array)}};
  return one;
}

}  // namespace

Json array_cases(Dice& dice) {
  return {{"formula", many(dice, 2000, formula_case)}, {"simulated", many(dice, 400, simulated_case)}};
}

}  // namespace hf::formulas
