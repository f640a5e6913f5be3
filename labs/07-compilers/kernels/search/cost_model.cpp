#include "07-compilers/kernels/search/cost_model.hpp"

#include <algorithm>
#include <cstddef>

#include "07-compilers/kernels/search/candidate.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/gemm/schedule.hpp"

namespace hf::compilers {
namespace {

using matmul::parts_of;

// [begin: cost-model]
/// How many times as long as its multiply-adds alone a step takes. Each has to
/// wait for the sum it adds to: with too few sums the units are idle. The step
/// loads `rows` numbers of a and `vectors` registers of b; in a cycle as many
/// loads can begin as multiply-adds. A sum that gets no register (one is for a; b
/// can be used from memory) is loaded and stored in every step, and each of the
/// two costs as much as a multiply-add.
double hold_up(double rows, double vectors, double sums_in_flight) {
  const double sums = rows * vectors;
  const double surplus = std::max(0.0, sums + 1 - as_double(kernel_registers));
  const double alone = std::max({sums, rows + vectors, sums_in_flight});
  return (alone + 2 * surplus) / sums;
}
// [end: cost-model]

/// The sizes of a candidate's parts.
struct Parts {
  const Candidate& candidate;
  const ProductShape& shape;
  std::size_t tile_columns = candidate.vectors * kernel_lanes;
  double columns = as_double(tile_columns);
  double depth = as_double(matmul::even_part(shape.k, candidate.schedule.blocking.depth, 1));
  double width = as_double(matmul::even_part(shape.n, candidate.schedule.blocking.width, tile_columns));
  double panels = as_double(parts_of(shape.m, candidate.schedule.tile_rows)), rows = as_double(shape.m) / panels;
  double tiles = as_double(parts_of(shape.n, tile_columns));  ///< in a row of the result
  double a = 4 * as_double(shape.m) * as_double(shape.k);     ///< bytes, as are b and c
  double b = 4 * as_double(shape.k) * as_double(shape.n), c = 4 * as_double(shape.m) * as_double(shape.n);
  double depths = as_double(shape.k) / depth;  ///< number of blocks, as is widths
  double widths = as_double(shape.n) / std::min(width, as_double(shape.n));
};

/// Bytes from the level-2 cache. With the panels outside, a panel of a stays in the level-1 cache while the block of b
/// is read; with the tiles outside, a tile of b stays while the block of a is read.
double near_bytes(const Parts& parts, double l1) {
  const matmul::Schedule& schedule = parts.candidate.schedule;
  const bool panels_outside = schedule.panels_outside;
  const double block_of_b = 4 * parts.depth * parts.width, tile_of_b = 4 * parts.depth * parts.columns;
  const double panel_of_a = 4 * parts.rows * parts.depth, block_of_a = panel_of_a * parts.panels;
  const double stays = panels_outside ? panel_of_a : tile_of_b;
  const bool a_again = panels_outside ? stays > l1 : block_of_a > l1;
  const bool b_again = panels_outside ? block_of_b > l1 : stays > l1;
  const double packing = schedule.pack_b == matmul::Use::always ? parts.b : 0;
  return parts.a * (a_again ? parts.tiles : parts.widths) + parts.b * (b_again ? parts.panels : 1) +
         2 * parts.c * parts.depths + packing;
}

/// Bytes from behind the level-2 cache: 0 if the whole product fits into it.
double far_bytes(const Parts& parts, double l2) {
  if (parts.a + parts.b + parts.c <= l2) return 0;
  const bool b_again = 4 * parts.depth * parts.width > l2;
  return parts.a * parts.widths + parts.b * (b_again ? parts.panels : 1) + 2 * parts.c * parts.depths;
}

}  // namespace

Variant chain_of_sums() {
  return timed("chain", [] {
    Floats sum = opaque(broadcast(0.0f));
    const Floats x = opaque(broadcast(0.5f)), y = opaque(broadcast(0.25f));
    for (int link = 0; link < chain_links; ++link) sum = opaque(sum * x + y);  // each needs the sum before it
    keep(sum[0]);
  });
}

double PredictedSeconds::total() const { return std::max({arithmetic, near, far}); }

PredictedSeconds predict(const Candidate& candidate, const ProductShape& shape, const CoreRates& rates) {
  const Parts parts = {candidate, shape};
  const double padded = 2 * as_double(shape.m) * parts.tiles * parts.columns * as_double(shape.k);
  return {.arithmetic = padded / rates.flops * hold_up(parts.rows, as_double(candidate.vectors), rates.sums_in_flight),
          .near = near_bytes(parts, rates.l1_capacity) / rates.l2_bytes,
          .far = far_bytes(parts, rates.l2_capacity) / rates.far_bytes};
}

}  // namespace hf::compilers
