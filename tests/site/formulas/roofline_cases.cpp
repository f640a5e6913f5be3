// The roofline, and the work and traffic of operators.
#include <cstddef>

#include "07-compilers/kernels/attention/attention.hpp"
#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "cases.hpp"
#include "kit/transformer/loops.hpp"
#include "kit/transformer/operators.hpp"
#include "kit/work.hpp"

namespace hf::formulas {
namespace {

Json json_of(const Work& work) {
  return {{"flops", work.flops}, {"bytes", work.bytes}, {"allocated", work.allocated_bytes}};
}

Json roof_case(Dice& dice) {
  const Roofline roof = {dice.spread(1, 1e7), dice.spread(1, 1e5)};
  const Work work = {dice.spread(1, 1e18), dice.spread(1, 1e15), dice.coin() ? dice.spread(1, 1e15) : 0};
  return {{"peak", roof.peak_gflops},
          {"bandwidth", roof.bandwidth_gbs},
          {"work", json_of(work)},
          {"answer",
           {{"seconds", roof.seconds(work)},
            {"side", name(roof.side(work))},
            {"ridge", roof.ridge()},
            {"intensity", work.intensity()},
            {"traffic", work.traffic()}}}};
}

Json product_case(Dice& dice) {
  const std::size_t m = dice.size(1e5), n = dice.size(1e5), k = dice.size(1e5);
  return {{"m", m}, {"n", n}, {"k", k}, {"answer", Json::array({json_of(workload::product_work(m, n, k))})}};
}

/// Chapter 00's method for a convolution: the patches are laid out as columns, then multiplied; or, fused, input and
/// filters are read once and the output is written.
Json convolution_case(Dice& dice) {
  const std::size_t in = dice.size(1024), out = dice.size(1024), stride = dice.size(3);
  const std::size_t kernel = 2 * dice.size(5) - 1, side = kernel + dice.size(512);
  const std::size_t places = workload::windows(side, kernel, stride), n = places * places, k = in * kernel * kernel;
  const std::size_t image = in * side * side;
  const bool fused = dice.coin();
  const Work product = workload::product_work(out, n, k);
  Json answer;
  if (fused)
    answer = Json::array({json_of(workload::streaming_work(product.flops, image + out * k, out * n))});
  else
    answer = Json::array({json_of(workload::streaming_work(0, image, k * n)), json_of(product)});
  return {{"in", in},     {"out", out},     {"kernel", kernel}, {"stride", stride},
          {"side", side}, {"fused", fused}, {"places", places}, {"answer", answer}};
}

Json attention_case(Dice& dice) {
  const std::size_t queries = dice.size(4096), keys = queries + dice.size(65536) - 1, d = 8 * dice.size(32);
  const compilers::Head head = {queries, keys, d, dice.coin()};
  const bool fused = dice.coin();
  const double instructions =
      fused ? compilers::flash_instructions_per_score() : compilers::softmax_instructions_per_score();
  Json answer;
  if (fused) {
    answer = Json::array({json_of(compilers::flash_work(head))});
  } else {
    const compilers::NaiveWork naive = compilers::naive_work(head);
    answer = Json::array({json_of(naive.keys), json_of(naive.softmax), json_of(naive.values)});
  }
  return {{"queries", queries},    {"keys", keys},   {"d", d},
          {"causal", head.causal}, {"fused", fused}, {"flopsPerScore", 2 * instructions},
          {"answer", answer}};
}

Json chain_case(Dice& dice) {
  using enum compilers::ByHand;
  const compilers::ByHand ways[] = {three_passes, one_pass, one_pass_nontemporal, in_place};
  const compilers::ByHand how = dice.one_of(ways);
  const std::size_t count = dice.size(1e9);
  return {{"count", count},
          {"fused", how != three_passes},
          {"allocates", how == three_passes || how == one_pass},
          {"answer", json_of(compilers::chain_work(how, count))}};
}

}  // namespace

Json roofline_cases(Dice& dice) {
  return {{"roof", many(dice, 2000, roof_case)},
          {"product", many(dice, 1000, product_case)},
          {"convolution", many(dice, 1000, convolution_case)},
          {"attention", many(dice, 1000, attention_case)},
          {"chain", many(dice, 500, chain_case)}};
}

}  // namespace hf::formulas
