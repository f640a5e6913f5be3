// Fused by hand: relu(x) · 0.5 + 1, and a blur in two stages under every schedule.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "07-compilers/kernels/fusion/blur.hpp"
#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "common/random.hpp"
#include "common/work.hpp"
#include "harness/measure/memory.hpp"

namespace hf::compilers {
namespace {

constexpr ByHand all_ways[] = {ByHand::three_passes, ByHand::one_pass, ByHand::one_pass_nontemporal, ByHand::in_place};

TEST_CASE("every way gives the same numbers, on arrays that are shared and on small ones") {
  for (const std::size_t count : {std::size_t{32}, std::size_t{96}, std::size_t{1} << 18}) {
    for (const ByHand how : all_ways) {
      CAPTURE(name(how));
      CAPTURE(count);
      Buffer memory[4];
      for (Buffer& each : memory) each = Buffer(count * sizeof(float), Pages::base);
      const auto array = [&](std::size_t i) { return memory[i].as<float>().data(); };
      fill_random(memory[0].as<float>(), 1);
      memory[0].as<float>()[1] = 0;
      chain_by_hand(how, {array(0), array(1), array(2), array(3), count});
      const float* y = array(how == ByHand::in_place ? 0 : 3);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const float x = i == 1 ? 0 : random_number(1, i);
        wrong += y[i] != (x > 0 ? x : 0) * 0.5f + 1;  // exact: halving is exact, and one addition rounds once
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("three passes move three times as much as one, and 4.5 times as much as one that reads no line it writes") {
  const double passes = chain_work(ByHand::three_passes, 1000).traffic();
  CHECK(passes == 36000);
  CHECK(passes / chain_work(ByHand::one_pass, 1000).traffic() == 3);
  CHECK(passes / chain_work(ByHand::one_pass_nontemporal, 1000).traffic() == 4.5);
  CHECK(passes / chain_work(ByHand::in_place, 1000).traffic() == 4.5);
}

struct Picture {
  explicit Picture(const BlurShape& shape) : input(random_floats(shape.input_rows() * shape.input_columns(), 1)) {}

  std::vector<float> blurred_by(const BlurShape& shape, const BlurSchedule& schedule) const {
    std::vector<float> between(kept_rows(shape, schedule) * shape.columns), result(shape.rows * shape.columns, 7);
    blur(shape, schedule, input.data(), between.data(), result.data());
    return result;
  }

  std::vector<float> input;
};

TEST_CASE("every schedule gives the definition's numbers, and the same ones") {
  for (const std::size_t taps : blur_taps) {
    CAPTURE(taps);
    const BlurShape shape = {13, 128, taps};
    const Picture picture(shape);
    const std::vector<float> result = picture.blurred_by(shape, breadth_first(shape));
    double worst = 0;
    for (std::size_t i = 0; i < shape.rows; ++i) {
      for (std::size_t j = 0; j < shape.columns; ++j) {
        worst = std::max(worst, std::abs(result[i * shape.columns + j] - blurred(shape, picture.input.data(), i, j)));
      }
    }
    CHECK(worst < 20 * 0x1p-24);  // of numbers up to 1, with weights that add up to 1: 2 · 9 roundings
    for (const BlurSchedule& schedule : {recompute(), slide(), BlurSchedule{2}, BlurSchedule{5}, BlurSchedule{100}}) {
      CAPTURE(schedule.tile_rows);
      CHECK(picture.blurred_by(shape, schedule) == result);
    }
  }
}

TEST_CASE("weights add up to one, and are the same from both ends") {
  for (const std::size_t taps : blur_taps) {
    const std::vector<float> weights = blur_weights(taps);
    CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == doctest::Approx(1));
    CHECK(std::equal(weights.begin(), weights.end(), weights.rbegin()));
    CHECK(*std::max_element(weights.begin(), weights.end()) == weights[taps / 2]);
  }
  CHECK_THROWS_AS(blur({4, 64, 5}, slide(), nullptr, nullptr, nullptr), std::invalid_argument);
}

TEST_CASE("what is kept need not be computed again") {
  const BlurShape shape = {100, 64, 9};
  CHECK(computed_rows(shape, breadth_first(shape)) == 108);
  CHECK(computed_rows(shape, slide()) == 108);
  CHECK(computed_rows(shape, recompute()) == 900);
  CHECK(computed_rows(shape, {30}) == 100 + 4 * 8);
  CHECK(kept_rows(shape, breadth_first(shape)) == 108);
  CHECK(kept_rows(shape, slide()) == 9);
  CHECK(kept_rows(shape, recompute()) == 9);
}

TEST_CASE("work is counted by hand for a small picture") {
  const BlurShape shape = {2, 64, 3};
  const Work near = blur_work(shape, recompute(), true), far = blur_work(shape, breadth_first(shape), false);
  CHECK(near.flops == 5 * 64 * (2 * 3 + 2));  // 5 for 3 taps; 3 rows of the first stage for each of 2, and the 2
  CHECK(far.flops == 5 * 64 * (4 + 2));
  CHECK(near.bytes == 4 * (4 * 66 + 2 * 64));
  CHECK(near.allocated_bytes == 4 * 2 * 64);
  CHECK(far.bytes == near.bytes + 4 * 2 * 4 * 64);
  CHECK(far.allocated_bytes == near.allocated_bytes + 4 * 4 * 64);
}

}  // namespace
}  // namespace hf::compilers
