#include "04-tpu/kernels/dataflows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "04-tpu/kernels/cells.hpp"
#include "04-tpu/kernels/memory_schedule.hpp"
#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {
namespace {

/// A tile of the result, which the array computes from beginning to end.
struct ResultTile {
  std::size_t m, rows, n, columns;
};

class Run {
 public:
  Run(const ArrayShape& array, const ProductShape& shape, MatrixView a, MatrixView b, const MemoryLimits& limits)
      : array_(array),
        shape_(shape),
        a_(a),
        b_(b),
        memory_(limits),
        cells_(array),
        entering_(array.rows),
        above_(array.columns) {
    run_.c.resize(shape.m * shape.n);
  }

  ArrayRun run(const Observer& observe) {
    for (std::size_t m = 0; m < shape_.m; m += array_.rows) {
      for (std::size_t n = 0; n < shape_.n; n += array_.columns) {
        compute({m, std::min(array_.rows, shape_.m - m), n, std::min(array_.columns, shape_.n - n)}, observe);
      }
    }
    run_.accesses.dram = memory_.fetched_bytes() + static_cast<std::int64_t>(shape_.m * shape_.n);
    return std::move(run_);
  }

 private:
  void compute(const ResultTile& tile, const Observer& observe) {
    wait_for(tile);
    cells_.sums.clear();
    std::size_t missing = tile.rows * tile.columns;
    const std::int64_t span = static_cast<std::int64_t>(array_.rows + array_.columns + shape_.k) - 2;
    // The clock runs until the far corner of the array would be done, even if the tile is smaller than the array.
    for (std::int64_t since = 0; since < span || missing > 0; ++since, ++now_) {
      feed(tile, since);
      cells_.cycle(entering_.data(), above_.data());
      missing -= collect(tile, since);
      ++(since < static_cast<std::int64_t>(shape_.k) ? run_.cycles.active : run_.cycles.drain);
      ++run_.simulated_cycles;
      if (observe) observe({now_, cells_.moving.all(), cells_.falling.all(), cells_.sums.all(), entering_});
    }
    run_.accesses.sram_operands += static_cast<std::int64_t>((tile.rows + tile.columns) * shape_.k);
  }

  void wait_for(const ResultTile& tile) {
    // Panels of a have even ids, panels of b odd ids.
    const std::int64_t ready =
        memory_.ready(0, {{2 * tile.m, tile.rows * shape_.k}, {2 * tile.n + 1, shape_.k * tile.columns}});
    if (ready > now_) {
      run_.cycles.stall += ready - now_;
      now_ = ready;
    }
    memory_.left_queue(now_);
  }

  /// Delays row r of a by r cycles and column c of b by c cycles, so that operands with the same k meet in every cell.
  void feed(const ResultTile& tile, std::int64_t since) {
    const auto k = [&](std::size_t late) { return static_cast<std::size_t>(since) - late; };  // wraps if since < late
    for (std::size_t r = 0; r < array_.rows; ++r)
      entering_[r] = r < tile.rows && k(r) < shape_.k ? a_.at(tile.m + r, k(r)) : std::int8_t{0};
    for (std::size_t c = 0; c < array_.columns; ++c)
      above_[c] = c < tile.columns && k(c) < shape_.k ? b_.at(k(c), tile.n + c) : std::int8_t{0};
  }

  /// Collects the finished sums: a sum is done once its cell has received the operands of the last k. A column can send
  /// out one sum per cycle. \return how many sums were collected
  std::size_t collect(const ResultTile& tile, std::int64_t since) {
    std::size_t taken = 0;
    for (std::size_t c = 0; c < tile.columns; ++c) {
      const std::int64_t r = since - static_cast<std::int64_t>(shape_.k - 1 + c);
      if (r < 0 || r >= static_cast<std::int64_t>(tile.rows)) continue;
      const auto row = static_cast<std::size_t>(r);
      run_.c[(tile.m + row) * shape_.n + tile.n + c] = cells_.sums.row(row)[c];
      const auto products = static_cast<std::int64_t>(shape_.k);
      run_.useful_macs += products;
      run_.accesses.registers += 2 * products;
      run_.accesses.hops += 2 * products;
      run_.accesses.sram_writes += 1;
      ++taken;
    }
    return taken;
  }

  ArrayShape array_;
  ProductShape shape_;
  MatrixView a_, b_;
  MemorySchedule memory_;
  OutputStationaryCells cells_;
  std::vector<std::int8_t> entering_, above_;
  std::int64_t now_ = 0;
  ArrayRun run_;
};

}  // namespace

ArrayRun run_output_stationary(const ArrayShape& array, const ProductShape& shape, MatrixView a, MatrixView b,
                               const ArrayOptions& options, const Observer& observe) {
  return Run(array, shape, a, b, options.memory).run(observe);
}

}  // namespace hf::tpu
