// The bf16 ladder's kernels, run on the processor (see hopper_on_cpu.hpp), compared with the double-precision
// reference.
#include "hopper_on_cpu.hpp"
// The kernels are included after the declarations that they need.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "03-gpu/kernels/cuda/bf16_gemm_rungs.cuh"
#include "kit/product.hpp"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

constexpr Bf16 poison = {0xffff}, guard = {0x1234};
constexpr double half_a_digit = 0x1p-8;  // how far, relatively, rounding to 8 binary digits may go

struct Operands {
  std::vector<float> a, b;  // after rounding
  std::vector<Bf16> a16, b16;
};

template <class Number>
Operands operands(const GemmShape& shape, Number number) {
  Operands made;
  const auto fill = [&](std::vector<float>& to, std::vector<Bf16>& rounded, int rows, std::uint32_t sequence) {
    for (int i = 0; i < rows * shape.k; ++i) {
      rounded.push_back(to_bf16(number(random_number(sequence, static_cast<std::uint64_t>(i)))));
      to.push_back(to_float(rounded.back()));
    }
  };
  fill(made.a, made.a16, shape.m, 1);
  fill(made.b, made.b16, shape.n, 2);
  return made;
}

std::vector<Bf16> product(const Bf16Rung& rung, const GemmShape& shape, const Operands& x) {
  const auto size = static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n);
  std::vector<Bf16> c(size + 64, poison);
  std::fill(c.begin() + static_cast<std::ptrdiff_t>(size), c.end(), guard);
  rung.multiply(shape, x.a16.data(), x.b16.data(), c.data());
  for (std::size_t at = size; at < c.size(); ++at) CHECK(c[at].bits == guard.bits);
  return c;
}

/// Calls `compare(result, reference)` for each number of c.
template <class Compare>
void for_each_result(const GemmShape& shape, const Operands& x, const std::vector<Bf16>& c, Compare compare) {
  const auto k = static_cast<std::size_t>(shape.k), n = static_cast<std::size_t>(shape.n);
  for (std::size_t at = 0; at < static_cast<std::size_t>(shape.m) * n; ++at)
    compare(to_float(c[at]), reference_dot(&x.a[at / n * k], &x.b[at % n * k], k));
}

void check(const Bf16Rung& rung, const GemmShape& shape) {
  CAPTURE(rung.label);
  INFO(shape.m, " × ", shape.n, " × ", shape.k);
  Operands x = operands(shape, [](float random) { return random; });
  double worst = 0;
  for_each_result(shape, x, product(rung, shape, x), [&](float result, Reference reference) {
    reference.bound += half_a_digit * (std::abs(reference.value) + reference.bound);
    worst = std::max(worst, error_share(result, reference));
  });
  CHECK(worst <= 1);

  // Whole numbers: every sum is exact in any order, so c must match to the last bit.
  x = operands(shape, [](float random) { return std::round(4 * random); });
  std::size_t wrong = 0;
  for_each_result(shape, x, product(rung, shape, x), [&](float result, const Reference& reference) {
    wrong += result != to_float(to_bf16(static_cast<float>(reference.value)));
  });
  CHECK(wrong == 0);
}

Bf16Rung rung(const std::string& id) {
  for (const Bf16Rung& each : bf16_rungs()) {
    if (each.id == id) return each;
  }
  throw std::out_of_range(id);
}

TEST_CASE("WMMA") {
  for (const GemmShape& shape : {GemmShape{128, 128, 64}, {130, 136, 40}, {1, 8, 8}}) check(rung("wmma"), shape);
}

TEST_CASE("mma.sync: whole tiles, what sticks out, fewer steps than the ring has places, and more") {
  for (const GemmShape& shape :
       {GemmShape{128, 256, 64}, {130, 264, 40}, {1, 8, 8}, {17, 72, 5 * MmaTiling::depth + 8}})
    check(rung("mma_sync"), shape);
}

TEST_CASE("eight rows of a tile, as ldmatrix reads them, lie in different banks") {
  for (int chunk = 0; chunk < MmaTiling::chunks; ++chunk) {
    for (int first = 0; first < MmaTiling::n; first += 8) {
      std::set<int> sixteens;
      for (int row = first; row < first + 8; ++row) sixteens.insert(chunk_in_tile(row, chunk) / MmaTiling::chunk % 8);
      CHECK(sixteens.size() == 8);
    }
  }
}

TEST_CASE("a tile's chunks have places of their own") {
  std::set<int> places;
  for (int row = 0; row < MmaTiling::n; ++row) {
    for (int chunk = 0; chunk < MmaTiling::chunks; ++chunk) places.insert(chunk_in_tile(row, chunk));
  }
  CHECK(places.size() == MmaTiling::n * MmaTiling::chunks);
  CHECK(*places.rbegin() == MmaTiling::n * MmaTiling::depth - MmaTiling::chunk);
}

TEST_CASE("tensor copies and warpgroup products: whole tiles, and what sticks out") {
  for (const char* id : {"tma", "pipeline"}) {
    check(rung(id), {128, 256, 64});
    check(rung(id), {130, 264, 72});
  }
}

TEST_CASE("the ring goes round more than once") { check(rung("pipeline"), {64, 8, 9 * tile_k}); }

TEST_CASE("blocks that stay, in clusters and alone: more tiles than clusters, fewer, and some outside") {
  std::vector<Bf16Rung> rungs = bf16_persistents();
  rungs.push_back(rung("persistent_alone"));
  for (const Bf16Rung& rung : rungs) {
    check(rung, {260, 776, 2 * tile_k + 8});
    check(rung, {1, 8, 8});
  }
  check(bf16_persistents()[0], {260, 1032, 5 * tile_k + 8});  // the ring wraps around within one tile
}

TEST_CASE("every step is somebody's, once, and whoever ends a tile waits for all others that have a part of it") {
  for (const int clusters : {1, 3, 66}) {
    for (const int tiles : {1, 2, 65, 66, 67, 100, 1024}) {
      for (const int steps : {1, 5, 128}) {
        CAPTURE(clusters);
        CAPTURE(tiles);
        CAPTURE(steps);
        for (const bool splits : {false, true}) {
          const Schedule schedule = {tiles, steps, clusters, splits};
          std::vector<int> done(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(steps));
          std::vector<std::set<int>> parts(static_cast<std::size_t>(tiles)), awaited(parts.size());
          for (int cluster = 0; cluster < clusters; ++cluster) {
            int given = 0;
            Stretch stretch;
            for (int turn = 0; (stretch = schedule.at(cluster, turn)).count > 0; ++turn) {
              const auto tile = static_cast<std::size_t>(stretch.tile);
              for (int step = stretch.first; step < stretch.first + stretch.count; ++step)
                ++done[tile * static_cast<std::size_t>(steps) + static_cast<std::size_t>(step)];
              if (stretch.first > 0) {
                parts[tile].insert(cluster);
                ++given;
                CHECK(turn == schedule.whole_turns());
                continue;
              }
              for (int helper = cluster - schedule.helpers(cluster, stretch); helper < cluster; ++helper) {
                if (schedule.at(helper, schedule.whole_turns()).count > 0) awaited[tile].insert(helper);
              }
            }
            CHECK(given <= 1);
          }
          CHECK(std::all_of(done.begin(), done.end(), [](int times) { return times == 1; }));
          CHECK(parts == awaited);
        }
      }
    }
  }
}

TEST_CASE("rungs have names of their own") {
  std::set<std::string> ids;
  for (const Bf16Rung& rung : bf16_rungs()) ids.insert(rung.id);
  for (const Bf16Rung& rung : bf16_persistents()) ids.insert(rung.id);
  CHECK(ids.size() == bf16_rungs().size() + bf16_persistents().size());
}

}  // namespace
}  // namespace hf::gpu
