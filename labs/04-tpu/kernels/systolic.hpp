/// \file
/// A systolic array, simulated register by register: what it computes, and how many clock cycles that takes.
///
/// An array of rows × columns cells computes c (m, n) = a (m, k) · b (k, n); a and b are int8, c is int32, all
/// row-major without gaps. A product larger than the array is cut into tiles, computed one after the other. Sums that
/// overflow 32 bits wrap around as in hardware; none does while k < 2^17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hf::tpu {

/// Which operand stays in the cells while the others flow past.
enum class Dataflow { output_stationary, weight_stationary, input_stationary };
constexpr Dataflow dataflows[] = {Dataflow::output_stationary, Dataflow::weight_stationary, Dataflow::input_stationary};
const char* name(Dataflow dataflow);  ///< "output stationary"…

/// c (m, n) = a (m, k) · b (k, n).
struct ProductShape {
  std::size_t m, n, k;

  std::int64_t macs() const { return static_cast<std::int64_t>(m * n * k); }
};

struct ArrayShape {
  std::size_t rows, columns;

  std::int64_t cells() const { return static_cast<std::int64_t>(rows * columns); }
};

/// The memory around the array: DRAM, and an SRAM that keeps every operand that has been fetched.
struct MemoryLimits {
  double dram_bytes_per_cycle = 0;   ///< 0: no limit
  bool streamed_is_on_chip = false;  ///< whether the operand that streams past the held one is never fetched
  std::size_t tiles_ahead = 4;       ///< how many stationary tiles may be fetched in advance, at least 1
};

struct ArrayOptions {
  /// Each cell has a second weight register, filled while the first is in use. No effect on output-stationary arrays,
  /// which load nothing in advance.
  bool double_buffered = false;
  MemoryLimits memory = {};
};

/// The array's cycles by use; each cycle counts once.
struct CycleCounts {
  std::int64_t active = 0;  ///< operands entered the array
  std::int64_t shift = 0;   ///< none entered; stationary operands were being shifted in
  std::int64_t stall = 0;   ///< the array waited for operands from DRAM
  std::int64_t drain = 0;   ///< the last operands were still passing through

  std::int64_t total() const { return active + shift + stall + drain; }
};

/// How many words moved; each number counts as one word.
struct Accesses {
  std::int64_t registers = 0;      ///< reads and writes of the number that stays in a cell
  std::int64_t hops = 0;           ///< moves into a cell from its neighbour or from the edge
  std::int64_t sram_operands = 0;  ///< operands read as they enter the array
  std::int64_t sram_sums = 0;      ///< sums read because a later tile adds to them
  std::int64_t sram_writes = 0;    ///< sums leaving the array
  std::int64_t dram = 0;           ///< operands fetched, and the result written once
};

/// One product computed by the array.
struct ArrayRun {
  std::vector<std::int32_t> c;  ///< (m, n)
  CycleCounts cycles;
  std::int64_t useful_macs = 0;       ///< products in all the sums that left the array
  std::int64_t simulated_cycles = 0;  ///< cycles stepped cell by cell; no register changed in the others
  Accesses accesses;

  /// Share of all cells and cycles that did a useful multiplication.
  double utilisation(const ArrayShape& array) const {
    return static_cast<double>(useful_macs) / static_cast<double>(cycles.total() * array.cells());
  }
};

/// The registers of the array at the end of a cycle, each rows × columns, row by row; and the operands that entered it
/// in that cycle. In an input-stationary array, `stationary` is a tile of aᵀ; in an output-stationary array, it flows
/// down.
struct Snapshot {
  std::int64_t cycle;
  std::span<const std::int8_t> moving;      ///< flows from left to right
  std::span<const std::int8_t> stationary;  ///< weights
  std::span<const std::int32_t> sums;
  std::span<const std::int8_t> entering;  ///< at the left edge, one for each row
};
using Observer = std::function<void(const Snapshot&)>;

/// Simulates the product on the array: every register of every cell in every cycle.
/// \param a, b  (m, k) and (k, n); m, n, k and the array's sides at least 1
/// \param observe  if given, called after every simulated cycle
/// \throws std::invalid_argument for an empty shape, operands of the wrong size, or impossible limits
ArrayRun run_array(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape,
                   std::span<const std::int8_t> a, std::span<const std::int8_t> b, const ArrayOptions& options = {},
                   const Observer& observe = {});

/// Cycles of the same product without memory limits, from a formula. SCALE-Sim (Samajdar et al., 2018) counts the same
/// cycles but reports the index of the last one, which is one less.
std::int64_t closed_form_cycles(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape);

/// Cycles with double-buffered weights: a new tile enters every max(streamed, rows) cycles.
/// \param dataflow  weight or input stationary
std::int64_t closed_form_cycles_double_buffered(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape);

/// Computes the product by three plain loops.
std::vector<std::int32_t> plain_product(const ProductShape& shape, std::span<const std::int8_t> a,
                                        std::span<const std::int8_t> b);

}  // namespace hf::tpu
