// The candidates for a product: each computes the product, each has a number, and the model counts correctly.
#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <vector>

#include "02-matmul/kernels/gemm.hpp"
#include "02-matmul/kernels/schedule.hpp"
#include "07-compilers/check/candidate_runs.hpp"
#include "07-compilers/kernels/search/candidate.hpp"
#include "07-compilers/kernels/search/cost_model.hpp"

namespace hf::compilers {
namespace {

const ProductShape shapes[] = {{64, 64, 64}, {16, 130, 33}, {37, 48, 20}, {1, 9, 300}};

TEST_CASE("every tile gives the product, whatever its edges") {
  for (const ProductShape& shape : shapes) {
    CAPTURE(shape.text());
    const CandidateRuns runs(shape);
    Candidate candidate = chosen_by_hand(shape);
    for (candidate.vectors = 1; candidate.vectors <= most_tile_vectors; ++candidate.vectors) {
      for (const std::size_t unroll : {1, 4}) {
        for (std::size_t rows = 1; rows <= most_tile_rows; ++rows) {
          candidate.unroll = unroll;
          candidate.schedule.tile_rows = rows;
          CHECK_NOTHROW(runs.check(candidate));
        }
      }
    }
  }
}

TEST_CASE("every way of a space gives the product, and each is another one") {
  for (const ProductShape& shape : shapes) {
    CAPTURE(shape.text());
    const SearchSpace space(shape);
    const CandidateRuns runs(shape);
    std::set<std::vector<std::size_t>> seen;
    for (std::size_t i = 0; i < space.size(); ++i) {
      CHECK(space.index(space.choices(i)) == i);
      const Candidate candidate = space.candidate(i);
      const matmul::Schedule& schedule = candidate.schedule;
      seen.insert({candidate.vectors, candidate.unroll, schedule.tile_rows, schedule.blocking.depth,
                   schedule.blocking.width, schedule.pack_b == matmul::Use::always, schedule.panels_outside});
      if (i % 5 == 0) CHECK_NOTHROW(runs.check(candidate));
    }
    CHECK(seen.size() == space.size());
  }
}

TEST_CASE("the tile chosen by hand is in every space, and is what gemm does") {
  for (const ProductShape& shape : shapes) {
    const SearchSpace space(shape);
    const Candidate in_space = space.candidate(space.hand()), hand = chosen_by_hand(shape);
    CHECK(in_space.vectors == hand.vectors);
    CHECK(in_space.unroll == hand.unroll);
    CHECK(in_space.schedule.tile_rows == hand.schedule.tile_rows);
    CHECK(in_space.schedule.blocking.depth == hand.schedule.blocking.depth);
    CHECK(in_space.schedule.blocking.width == hand.schedule.blocking.width);
    CHECK(in_space.schedule.pack_b == hand.schedule.pack_b);
    CHECK(in_space.schedule.panels_outside == hand.schedule.panels_outside);
    CHECK(hand.schedule.tile_rows == matmul::register_tile.rows);
    CHECK(hand.vectors * kernel_lanes == matmul::register_tile.columns);
  }
}

TEST_CASE("a wrong product is not timed") {
  const CandidateRuns small({8, 8, 8});
  Candidate shallow = chosen_by_hand({8, 8, 8});
  shallow.schedule.blocking.depth = 1;  // right, but in eight steps
  CHECK_NOTHROW(small.check(shallow));
  const ProductShape shape = {6, 40, 7};
  CHECK(shape.flops() == 2 * 6 * 40 * 7);
  CHECK(shape.text() == "6×40×7");
}

constexpr CoreRates rates = {.flops = 1e9,
                             .sums_in_flight = 8,
                             .l2_bytes = 1e9,
                             .far_bytes = 1e8,
                             .l1_capacity = 32 * 1024,
                             .l2_capacity = 1024 * 1024};

Candidate tile(std::size_t rows, std::size_t vectors, const ProductShape& shape = {64, 64, 64}) {
  Candidate candidate = chosen_by_hand(shape);
  candidate.schedule.tile_rows = rows;
  candidate.vectors = vectors;
  return candidate;
}

TEST_CASE("a model of cost: sums in flight, loads, registers, padding, bytes") {
  const std::size_t n = 12 * kernel_lanes;  // every width of a tile divides it
  const ProductShape shape = {64, n, 64};
  const double exact = shape.flops() / rates.flops;
  // Two sums where eight could be in flight.
  CHECK(predict(tile(2, 1), shape, rates).arithmetic == doctest::Approx(exact * 4));
  // Eight sums, for which nine numbers are loaded.
  CHECK(predict(tile(8, 1), shape, rates).arithmetic == doctest::Approx(exact * 9 / 8));
  CHECK(predict(tile(4, 2), shape, rates).arithmetic == doctest::Approx(exact));
  // With fewer sums in flight, the loads are the limit.
  CoreRates shallow = rates;
  shallow.sums_in_flight = 2;
  CHECK(predict(tile(2, 1), shape, shallow).arithmetic == doctest::Approx(exact * 3 / 2));
  // Sums that do not fit in registers are loaded and stored again.
  const double surplus = 64 + 1 - static_cast<double>(kernel_registers);
  CHECK(predict(tile(16, 4), shape, rates).arithmetic == doctest::Approx(exact * (64 + 2 * surplus) / 64));
  // Columns that do not exist are multiplied too.
  const ProductShape ragged = {64, 2 * kernel_lanes + 1, 64};
  CHECK(predict(tile(4, 2), ragged, rates).arithmetic ==
        doctest::Approx(2.0 * 64 * 64 * 4 * static_cast<double>(kernel_lanes) / rates.flops));
}

TEST_CASE("a model of bytes: a tall tile comes to b less often, and what fits costs nothing far away") {
  const ProductShape large = {512, 512, 512}, small = {64, 64, 64};
  CHECK(predict(tile(16, 2, large), large, rates).near < predict(tile(2, 2, large), large, rates).near);
  CHECK(predict(tile(4, 2), small, rates).far == 0);
  CHECK(predict(tile(4, 2, large), large, rates).far > 0);
  const PredictedSeconds seconds = {.arithmetic = 1, .near = 3, .far = 2};
  CHECK(seconds.total() == 3);
}

}  // namespace
}  // namespace hf::compilers
