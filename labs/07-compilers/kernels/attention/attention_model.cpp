#include "07-compilers/kernels/attention/attention_model.hpp"

#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "07-compilers/kernels/attention/power_of_two.hpp"
#include "harness/as_double.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

// The highest score, the difference from it, the power of two, the sum; the softmax also divides by the sum.
double flash_instructions_per_score() { return power_of_two_instructions + 3; }
double softmax_instructions_per_score() { return power_of_two_instructions + 4; }

Work flash_work(const Head& head) {
  const double results = 4 * as_double(head.queries * head.d), keys = 4 * as_double(head.keys * head.d);
  const double others = 2 * flash_instructions_per_score() * head.weights();
  return {head.flops() + others, 2 * results + 2 * keys, results};
}

NaiveWork naive_work(const Head& head) {
  const double results = 4 * as_double(head.queries * head.d), keys = 4 * as_double(head.keys * head.d);
  const double scores = 4 * head.weights(), others = 2 * softmax_instructions_per_score() * head.weights();
  return {.keys = {head.flops() / 2, results + keys + scores, scores},
          .softmax = {others, 2 * scores, 0},
          .values = {head.flops() / 2, results + keys + scores, results}};
}

double predicted_seconds(const Roofline& roof, const NaiveWork& work) {
  return roof.seconds(work.keys) + roof.seconds(work.softmax) + roof.seconds(work.values);
}

}  // namespace hf::compilers
